//! Stores responses under the `Idempotency-Key` of their request (draft-ietf-httpapi-idempotency-key-header).
//!
//! [`Idempotency`] is a middleware for routes and groups. An [`IdempotencyStore`] stores the responses: [`MemoryIdempotencyStore`] in memory, and
//! `SqlIdempotency` of restwright-sql in a database.

mod header;
mod kept_response;
mod key;
mod memory;
mod shared_claim;
mod store;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use restwright_core::http::header::CONTENT_TYPE;
use restwright_core::http::{HttpRequest, HttpResponse, Method, StatusCode};
use restwright_core::operation::{Operation, OrReference};
use restwright_core::problem::catalogue;
use restwright_core::runtime::BoxFuture;
use restwright_core::runtime::idempotency_replayed;
use restwright_core::runtime::log;
use restwright_core::schema::Violations;
use restwright_core::{
    BuildContext, BuildErrors, Clock, Middleware, Next, OutageLog, OutageSummary, Problem, Result, Stage,
};

use self::shared_claim::Outcome;
use self::store::{ErasedClaim, ErasedStore};
use crate::store::{Attempt, StoreError, Transaction, repeat};

pub use self::kept_response::KeptResponse;
pub use self::key::{Fingerprint, IdempotencyKey};
pub use self::memory::{MemoryClaim, MemoryIdempotencyStore};
pub(crate) use self::shared_claim::{KeptSteps, SharedClaim};
pub use self::store::{Begun, IdempotencyStore};

/// The maximum time for which a request waits for an earlier request with the same key.
const PATIENCE: Duration = Duration::from_secs(1);

/// A middleware that executes a `POST` or `PATCH` request once per `Idempotency-Key`, even if the request is sent repeatedly. It is cheap
/// to clone.
///
/// The header is a string in double quotes or a token, of 1 to 255 characters. `"a"` and `a` are the same key. Requests without the header pass
/// through, unless it is [required](Self::required). Requests of other methods always pass through, so a group may use the middleware. Building the
/// Api fails if a single route of another method declares it.
///
/// A key belongs to its caller (scheme, issuer and subject), [partition](Self::partition), method and path, so callers cannot reach the keys of
/// others. The path does not include the query. Requests with the same key must have the same query, media type and body.
///
/// | request with a key | response |
/// |---|---|
/// | the first | as without a key |
/// | another, with the same query, media type and body | the response to the first, with `Idempotency-Replayed: true` |
/// | another, while the first is in progress | the same, if the first ends within a second; else 409 with `Retry-After` |
/// | another, with another query, media type or body | 422 `idempotency_key_reused` |
/// | another, of a resource with a [policy](crate::RowPolicy) that permits the caller something else now | 409 `idempotency_rights_changed` |
/// | any whose key is malformed or repeated | 400 `invalid_idempotency_key` |
/// | any while the store fails | 503, and the request is not executed |
///
/// It runs after authorization and limits by identity, so it repeats a response only to a caller who may still make the request. It stores responses
/// of 2xx and 409 with `Content-Type`, `Content-Encoding`, `Content-Language`, `Location` and `ETag`, as the controller and the inner middlewares
/// created them. It does so before they are sent.
///
/// Other failures and streams are not stored, and the next request with the key is executed. The same is true for a request that did not end, because
/// its deadline passed, it panicked, or the host dropped it. Such a request may have had its effect. To prevent this, make all changes in one
/// transaction at the end of the handler. If the keys are in the database of a resource, its changes and the response are in [one
/// transaction](IdempotencyStore::begin_transaction).
///
/// The body is buffered, within the limit of the route. Guests cannot have keys, so building the Api fails if guests may call the route.
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/idempotency.md"))]
#[derive(Clone)]
pub struct Idempotency {
    store: Arc<dyn ErasedStore>,
    partition: Option<Partition>,
    rights: Option<Partition>,
    is_required: bool,
    /// `true` if the endpoint changes one entity and runs no code of the application.
    is_for_change: bool,
    unkept: Arc<UnkeptLog>,
}

/// Limits the number of log lines about responses that could not be stored.
struct UnkeptLog {
    clock: Clock,
    log: Mutex<OutageLog>,
}

type Partition = Arc<dyn Fn(&HttpRequest) -> Option<String> + Send + Sync>;

/// The stores that the Api has already registered as components.
#[derive(Default)]
struct RegisteredStores(Vec<Arc<dyn ErasedStore>>);

impl Idempotency {
    /// Creates a middleware that stores responses in the given store. Clones of the middleware share the store. To share a store between
    /// separate middlewares, pass an [`Arc`].
    #[must_use]
    pub fn new(store: impl IdempotencyStore) -> Self {
        let unkept = UnkeptLog { clock: Clock::system(), log: Mutex::default() };
        Self {
            store: Arc::new(store),
            partition: None,
            rights: None,
            is_required: false,
            is_for_change: false,
            unkept: Arc::new(unkept),
        }
    }

    /// Rejects requests without an `Idempotency-Key` with status 400.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Partitions the keys of each caller, for example by tenant. The function returns the partition of a request.
    ///
    /// Keys are already separate per path. The limits per caller apply to all partitions together.
    ///
    /// ```
    /// use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
    ///
    /// let idempotency = Idempotency::new(MemoryIdempotencyStore::new())
    ///     .partition(|request| request.identity().claim("tenant")?.as_str().map(str::to_owned));
    /// ```
    #[must_use]
    pub fn partition(mut self, of: impl Fn(&HttpRequest) -> Option<String> + Send + Sync + 'static) -> Self {
        self.partition = Some(Arc::new(of));
        self
    }

    /// Stores a digest of the caller's rights with each response. If the rights have changed, a repeated request fails with 409.
    pub(crate) fn rights(mut self, of: impl Fn(&HttpRequest) -> Option<String> + Send + Sync + 'static) -> Self {
        self.rights = Some(Arc::new(of));
        self
    }

    /// Sets whether the endpoint changes one entity and runs no code of the application.
    pub(crate) fn for_change(mut self, is_for_change: bool) -> Self {
        self.is_for_change = is_for_change;
        self
    }

    fn key(&self, request: &HttpRequest, value: &str) -> Result<IdempotencyKey> {
        let partition = self.partition.as_ref().and_then(|of| of(request));
        let (identity, method, path) = (request.identity(), request.method(), request.path());
        IdempotencyKey::new(&identity, partition.as_deref(), method, path, value).ok_or_else(|| {
            Problem::internal(
                "the caller of a route with idempotency keys is a guest; a middleware around it changed the identity",
            )
        })
    }
}

impl Middleware for Idempotency {
    fn stage(&self) -> Stage {
        Stage::AfterAuthentication
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let method = context.operation().method.clone();
        if !covers(&method) {
            return if context.is_of_route() { Err(never_applies(&method)) } else { Ok(()) };
        }
        let mut errors = BuildErrors::new();
        if context.stage() != Stage::AfterAuthentication {
            errors.push("idempotency keys belong to a caller, but `Idempotency` runs before authentication here; the middleware around it must also forward `stage`");
        }
        if context.admits_guests() {
            errors.push(
                "guests may call this route, and would share their idempotency keys; require credentials, or declare it \
                 outside the group that has `Idempotency`",
            );
        }
        let known = &context.build_state::<RegisteredStores>().0;
        if !known.iter().any(|known| std::ptr::addr_eq(Arc::as_ptr(known), Arc::as_ptr(&self.store))) {
            errors.take(self.store.clone().register(context));
            context.build_state::<RegisteredStores>().0.push(self.store.clone());
        }
        errors.finish(Some(()))
    }

    fn describe(&self, operation: &mut Operation) {
        if !covers(&operation.method) {
            return;
        }
        operation.parameters.push(header::parameter(self.is_required, self.store.kept_for()));
        for response in operation.responses.iter_mut().filter_map(OrReference::inline_mut) {
            if is_kept(response.status) {
                response.add_header(idempotency_replayed());
            }
        }
        for kind in [
            catalogue::INVALID_IDEMPOTENCY_KEY,
            catalogue::INCOMPLETE_BODY,
            catalogue::BODY_TIMEOUT,
            catalogue::IDEMPOTENCY_IN_PROGRESS,
            catalogue::BODY_TOO_LARGE,
            catalogue::IDEMPOTENCY_KEY_REUSED,
            catalogue::UNAVAILABLE,
        ] {
            operation.add_problem(kind);
        }
        if self.rights.is_some() {
            operation.add_problem(catalogue::IDEMPOTENCY_RIGHTS_CHANGED);
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        if !covers(request.method()) {
            return Ok(next.run(request).await);
        }
        let value = match header::read(request)? {
            Some(value) => value,
            None if self.is_required => return Err(header::missing()),
            None => return Ok(next.run(request).await),
        };
        let key = self.key(request, &value)?;
        // The body is read before the key is claimed. A slow body then does not block other requests.
        let body = request.body().await?;
        let media_type = request.header(&CONTENT_TYPE);
        let fingerprint = Fingerprint::new(request.query(), media_type, &body);
        // A response that was stored before the fingerprint contained the media type.
        let earlier = Fingerprint::new(request.query(), None, &body);
        let fingerprints = [fingerprint, earlier];
        // A conflict at the commit has undone all changes, so the request is executed again, except for steps before the transaction.
        request.extensions_mut().insert(KeptSteps::default());
        let attempt = async |attempt: Attempt| {
            request.body_mut().set_bytes(body.clone());
            // After a conflict at the end, the key is locked first.
            let is_for_change = self.is_for_change && attempt.number() == 1;
            self.carry_out((&key, is_for_change), &fingerprints, request, next.clone()).await
        };
        repeat(StoreError::is_transaction_conflict, None, attempt, |problem| problem).await
    }
}

impl Idempotency {
    /// Locks an idempotency key and executes the request, or returns the stored response.
    async fn carry_out(
        &self,
        (key, is_for_change): (&IdempotencyKey, bool),
        [fingerprint, earlier]: &[Fingerprint; 2],
        request: &mut HttpRequest,
        next: Next<'_>,
    ) -> Result<HttpResponse> {
        let rights = self.rights.as_ref().and_then(|of| key::digest_text(&of(request)?));
        let mut begun = self.store.clone().begin(key, fingerprint, PATIENCE, is_for_change).await;
        if matches!(begun, Ok(Begun::OtherRequest)) && earlier != fingerprint {
            begun = self.store.clone().begin(key, earlier, PATIENCE, is_for_change).await;
        }
        let claim = match begun.map_err(|error| Problem::unavailable(format!("idempotency keys: {error}")))? {
            Begun::Started(claim) => claim,
            Begun::Kept(response) if response.rights() != rights.as_ref() => return Err(header::rights_changed()),
            Begun::Kept(response) => return Ok(response.replay()),
            Begun::OtherRequest => return Err(header::reused()),
            Begun::InFlight => return Err(in_progress()),
        };
        let shared = SharedClaim::new(claim);
        request.extensions_mut().insert(shared.clone());
        let response = next.run(request).await;
        let Some((claim, outcome)) = shared.take() else { return Ok(response) };
        match (KeptResponse::of(&response).map(|kept| kept.with_rights(rights)), outcome) {
            (Some(kept), Outcome::Finished(transaction, following)) if response.status().is_success() => {
                commit(claim, transaction, kept, following).await?;
            }
            (None, Outcome::Finished(..)) if response.status().is_success() => {
                claim.abandon().await;
                return Err(Problem::internal(
                    "an inner middleware turned the response to a request with an idempotency key into a stream, so the response could not be stored with the changes, which were undone; put this middleware around `Idempotency`",
                ));
            }
            (_, Outcome::Taken) if is_for_change => {
                claim.abandon().await;
                // The key was not locked before the endpoint. The next attempt locks it first, and waits for the other request.
                return Err(Problem::unavailable(StoreError::TransactionConflict));
            }
            (Some(kept), Outcome::Untouched) => self.unkept.note(keep(claim, kept).await),
            _ => claim.abandon().await,
        }
        Ok(response)
    }
}

/// Stores the response in the transaction of an endpoint, and commits the transaction. This runs in a separate task, which continues if the client
/// disconnects.
async fn commit(
    claim: Box<dyn ErasedClaim>,
    transaction: Transaction,
    response: KeptResponse,
    following: BoxFuture<'static, ()>,
) -> Result<()> {
    let committing = tokio::spawn(async move {
        claim.commit(transaction, response).await?;
        following.await;
        Ok(())
    });
    committing.await.map_err(Problem::internal)?.map_err(|error| match error {
        StoreError::Rejected { violation, source } => Problem::from(Violations::one(*violation)).source(source),
        error @ StoreError::Failed(_) => Problem::internal(error),
        // The result of the commit may be unknown. If the client repeats the request, it receives the response or the request is executed.
        error => Problem::unavailable(error),
    })
}

/// Stores a response in a separate task, which continues if the client disconnects. Returns the reason if the response was not stored.
async fn keep(claim: Box<dyn ErasedClaim>, response: KeptResponse) -> Result<(), String> {
    let kept = tokio::spawn(claim.complete(response)).await;
    kept.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

impl UnkeptLog {
    /// Logs the first failure to store a response. Later logs the number of failures once a minute.
    fn note(&self, kept: Result<(), String>) {
        let now = self.clock.elapsed();
        let mut outage = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let Err(failure) = kept else {
            outage.ended(now);
            return;
        };
        if let Some(OutageSummary { failures, seconds }) = outage.failed(now) {
            log(|| {
                tracing::warn!(
                    %failure,
                    failures,
                    seconds,
                    "a response was not stored for its idempotency key; a repeated request will be executed again"
                )
            });
        }
    }
}

fn never_applies(method: &Method) -> BuildErrors {
    BuildErrors::one(format!(
        "`Idempotency` is declared on this route, but applies only to `POST` and `PATCH`, not to `{method}`; remove it, or declare it on a \
         group"
    ))
}

/// Returns `true` for `POST` and `PATCH`, which are not idempotent methods (RFC 9110, section 9.2.2; RFC 5789, section 2).
fn covers(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PATCH)
}

fn is_kept(status: StatusCode) -> bool {
    status.is_success() || status == StatusCode::CONFLICT
}

/// Returns the problem for a request whose key is locked by another request.
pub(crate) fn in_progress() -> Problem {
    Problem::new(catalogue::IDEMPOTENCY_IN_PROGRESS)
        .detail("A request with this `Idempotency-Key` is still in progress; repeat this request later to get its response.")
        .detail_key("idempotency_in_progress.wait")
        .retry_after(PATIENCE.as_secs())
}

impl fmt::Debug for Idempotency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Idempotency").field("is_required", &self.is_required).finish_non_exhaustive()
    }
}
