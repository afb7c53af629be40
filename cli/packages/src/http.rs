//! Requests to registries: bounded in size and time, and careful with tokens.

use std::sync::Arc;
use std::time::Duration;

use ailang::Code;
use ureq::Agent;
use ureq::http::{Method, Request, Response};
use ureq::tls::{RootCerts, TlsConfig};
use url::Url;

use crate::error::PackageError;

/// The maximum number of redirects.
const MOST_REDIRECTS: usize = 5;

/// The time of one request.
const TIMEOUT: Duration = Duration::from_secs(120);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// A secret for one origin.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token {
    secret: String,
    origin: url::Origin,
}

impl Token {
    /// Takes a token for the origin of a URL.
    pub(crate) fn new(secret: impl Into<String>, url: &Url) -> Self {
        Self { secret: secret.into(), origin: url.origin() }
    }

    /// Returns the header for a URL of the token's origin; `None` for any other.
    fn header(&self, url: &Url) -> Option<String> {
        (url.origin() == self.origin).then(|| format!("Bearer {}", self.secret))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Token({:?})", self.origin)
    }
}

/// A client of HTTP.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    agent: Agent,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Client {
    pub(crate) fn new() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("ailang/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: Agent::new_with_config(config) }
    }

    /// Gets a URL, and follows redirects. The token goes to its own origin only, and nothing that started encrypted
    /// goes on without.
    ///
    /// # Errors
    /// Nothing answers, the answer has more than `most` bytes, or the redirects have no end.
    pub(crate) fn get(
        &self,
        url: &Url,
        token: Option<&Token>,
        accept: &str,
        most: u64,
    ) -> Result<Answer, PackageError> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let request = request(Method::GET, &url, token).header("accept", accept);
            let response = self.send(&url, request.body(()))?;
            match redirect(&url, &response)? {
                Some(next) => url = next,
                None => return answer(&url, response, most),
            }
        }
        Err(failed(&url, "it redirects without an end"))
    }

    /// Puts JSON to a URL.
    ///
    /// # Errors
    /// Nothing answers, or the answer is a redirect.
    pub(crate) fn put(&self, url: &Url, token: Option<&Token>, json: String) -> Result<Answer, PackageError> {
        let request = request(Method::PUT, url, token).header("content-type", "application/json");
        let response = self.send(url, request.body(json))?;
        if redirect(url, &response)?.is_some() {
            return Err(failed(url, "it redirects, which is not followed with what is published"));
        }
        answer(url, response, 1 << 20)
    }

    fn send<B: ureq::AsSendBody>(
        &self,
        url: &Url,
        request: ureq::http::Result<Request<B>>,
    ) -> Result<Response<ureq::Body>, PackageError> {
        let request = request.map_err(|error| failed(url, &error.to_string()))?;
        self.agent.run(request).map_err(|error| failed(url, &error.to_string()))
    }
}

fn request(method: Method, url: &Url, token: Option<&Token>) -> ureq::http::request::Builder {
    let request = Request::builder().method(method).uri(url.as_str());
    match token.and_then(|token| token.header(url)) {
        Some(header) => request.header("authorization", header),
        None => request,
    }
}

/// Returns where a response redirects to.
fn redirect(url: &Url, response: &Response<ureq::Body>) -> Result<Option<Url>, PackageError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get("location").and_then(|it| it.to_str().ok()).unwrap_or_default();
    let next = url.join(location).map_err(|_| failed(url, "it redirects to what is no URL"))?;
    match next.scheme() {
        "https" => Ok(Some(next)),
        "http" if url.scheme() == "http" => Ok(Some(next)),
        _ => Err(failed(url, "it redirects to a URL that is not encrypted")),
    }
}

fn answer(url: &Url, response: Response<ureq::Body>, most: u64) -> Result<Answer, PackageError> {
    let status = response.status().as_u16();
    let body = response.into_body().into_with_config().limit(most).read_to_vec();
    let body = body.map_err(|error| failed(url, &error.to_string()))?;
    Ok(Answer { status, body })
}

/// Returns an error about a URL, without the name and password that it may contain.
pub(crate) fn failed(url: &Url, problem: &str) -> PackageError {
    let problem = ailang::visible_line(problem, ailang::LONGEST_SUMMARY);
    PackageError::new(Code::PACKAGE_ABSENT, format!("{}: {problem}", shown(url)))
}

/// Returns a URL without secrets.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _kept = url.set_password(None);
    let _kept = url.set_username("");
    url.set_query(None);
    ailang::visible_line(url.as_str(), ailang::LONGEST_SUMMARY)
}

#[cfg(test)]
#[path = "http_tests.rs"]
pub(crate) mod tests;
