//! Defines [`FormatString`], the format string for the `detail` of a problem, such as `There is no pet {id}.`

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Fields, Index, LitStr, Member};

use crate::errors::Errors;
use crate::problem::binding;

/// A format string with placeholders for fields, such as `There is no pet {id}.`, or `{0}` for an unnamed field.
pub(crate) struct FormatString {
    text: LitStr,
    /// The fields that the format string contains.
    pub(crate) members: Vec<Member>,
    /// The name and the format string of each placeholder, such as `id` and `{id}`.
    values: Vec<(String, LitStr)>,
    is_format: bool,
}

impl FormatString {
    /// Parses the placeholders of a format string. A placeholder such as `{0}` gets the name of the variable that holds
    /// the field.
    pub(crate) fn parse(literal: &LitStr, fields: &Fields, errors: &mut Errors) -> Option<Self> {
        let written = literal.value();
        let (mut text, mut members, mut values) = (String::new(), Vec::new(), Vec::new());
        let mut rest = written.as_str();
        while let Some((before, after)) = rest.split_once(['{', '}']) {
            text.push_str(before);
            let brace = rest.as_bytes().get(before.len()).copied().map_or('{', char::from);
            if let Some(after) = after.strip_prefix(brace) {
                text.extend([brace, brace]);
                rest = after;
                continue;
            }
            let Some((inside, after)) = after.split_once('}').filter(|_| brace == '{') else {
                errors.push(
                    literal.span(),
                    "a brace is unmatched; write `{field}` for a field, and `{{` and `}}` for literal braces",
                );
                return None;
            };
            let (name, style) = inside.split_once(':').map_or((inside, None), |(name, style)| (name, Some(style)));
            let Some(member) = field(name.trim(), fields) else {
                errors.push(literal.span(), unknown(name, fields));
                return None;
            };
            let style = style.map_or_else(String::new, |style| format!(":{style}"));
            let value = format!("{{{}{style}}}", binding(&member));
            text.push_str(&value);
            if !members.contains(&member) {
                let placeholder = name.trim().trim_start_matches("r#").to_owned();
                values.push((placeholder, LitStr::new(&value, literal.span())));
                members.push(member);
            }
            rest = after;
        }
        text.push_str(rest);
        let is_format = text.contains(['{', '}']);
        Some(Self { text: LitStr::new(&text, literal.span()), members, values, is_format })
    }

    /// Returns the name of each placeholder, with the expression that formats its field.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&str, TokenStream)> {
        self.values.iter().map(|(name, value)| (name.as_str(), quote_spanned!(value.span()=> ::std::format!(#value))))
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        let text = &self.text;
        if self.is_format {
            quote_spanned!(text.span()=> ::std::format!(#text))
        } else {
            quote_spanned!(text.span()=> #text)
        }
    }
}

fn field(name: &str, fields: &Fields) -> Option<Member> {
    match name.parse::<u32>() {
        Ok(index) => {
            let known =
                matches!(fields, Fields::Unnamed(_)) && usize::try_from(index).is_ok_and(|at| at < fields.len());
            known.then(|| Member::Unnamed(Index::from(usize::try_from(index).unwrap_or_default())))
        }
        Err(_) => {
            let ident = fields.iter().filter_map(|field| field.ident.as_ref()).find(|ident| *ident == name)?;
            Some(Member::Named(ident.clone()))
        }
    }
}

fn unknown(name: &str, fields: &Fields) -> String {
    let known = fields.iter().enumerate().map(|(index, field)| match &field.ident {
        Some(ident) => format!("{{{ident}}}"),
        None => format!("{{{index}}}"),
    });
    match known.collect::<Vec<_>>().join(", ") {
        known if known.is_empty() => {
            format!("there is no field for `{{{name}}}`; add one, or remove it from the string")
        }
        known => format!("there is no field for `{{{name}}}`; known: {known}"),
    }
}
