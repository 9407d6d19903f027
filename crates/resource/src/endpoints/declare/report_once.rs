//! Defines [`report_once`], which reports an error of several operations on a list once.

use restwright_core::http::Method;
use restwright_core::schema::Mode;
use restwright_core::{BuildContext, BuildErrors, Result};

use super::settings::OperationSettings;

/// The lists whose `GET` has errors.
#[derive(Default)]
struct Reported(Vec<String>);

/// Drops the errors of an operation on a list if the `GET` of the same list has reported errors.
pub(in crate::endpoints) fn report_once<T>(
    planned: Result<T, BuildErrors>,
    context: &mut BuildContext<'_>,
) -> Result<T, BuildErrors> {
    let Err(errors) = planned else { return planned };
    let settings = context.route().setting::<OperationSettings>();
    let Some(settings) = settings.filter(|settings| settings.mode == Mode::List) else { return Err(errors) };
    let (path, is_get) = (settings.resource.path.clone(), context.operation().method == Method::GET);
    let reported = &mut context.build_state::<Reported>().0;
    match reported.contains(&path) {
        true if !is_get => return Err(BuildErrors::new()),
        true => {}
        false => reported.push(path),
    }
    Err(errors)
}
