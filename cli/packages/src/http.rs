//! Requests to registries: bounded in size and time, and careful with tokens.

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use ailang::Code;
use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::http::{Method, Request, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use url::Url;

use crate::error::PackageError;

/// The maximum number of redirects.
const MOST_REDIRECTS: usize = 5;

/// The time of one request, with its answer.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The size of the pieces in which an answer is read, in bytes.
const PIECE: usize = 64 << 10;

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

/// A download that is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The URL without secrets.
    pub url: String,
    /// The bytes that have arrived.
    pub received: u64,
    /// The size of the whole in bytes; `None` if the server sent no `content-length`.
    pub total: Option<u64>,
}

/// Is told about downloads, again and again while they run.
pub type OnDownload = Arc<dyn Fn(&Download) + Send + Sync>;

/// An HTTP client that keeps tokens to their origin and bounds what it reads.
#[derive(Clone)]
pub(crate) struct Client {
    agent: Agent,
    on_download: Option<OnDownload>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

/// Returns the configuration of an HTTP client that trusts the certificates of the platform, follows no redirects, and
/// takes an answer of any status as one.
pub fn agent_config() -> ConfigBuilder<AgentScope> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
}

/// The final response to a request: after redirects, and of any status.
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
        Self::with_timeout(TIMEOUT)
    }

    /// Returns a client that reports its downloads.
    pub(crate) fn reporting(on_download: Option<OnDownload>) -> Self {
        Self { on_download, ..Self::new() }
    }

    fn with_timeout(timeout: Duration) -> Self {
        let config = agent_config()
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(timeout))
            .user_agent(concat!("ailang/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: Agent::new_with_config(config), on_download: None }
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
                None => return self.answer(&url, response, most),
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
        self.answer(url, response, 1 << 20)
    }

    /// Reads an answer of at most `most` bytes.
    fn answer(&self, url: &Url, response: Response<ureq::Body>, most: u64) -> Result<Answer, PackageError> {
        let status = response.status().as_u16();
        let body = response.into_body();
        let total = body.content_length();
        let too_large = || failed(url, &format!("its answer has more than {most} bytes"));
        if total.is_some_and(|total| total > most) {
            return Err(too_large());
        }
        let mut reader = body.into_with_config().limit(most.saturating_add(1)).reader();
        let (mut body, mut piece) = (Vec::new(), vec![0; PIECE]);
        loop {
            let count = reader.read(&mut piece).map_err(|error| failed(url, &error.to_string()))?;
            if count == 0 {
                return Ok(Answer { status, body });
            }
            body.extend_from_slice(&piece[..count]);
            if body.len() as u64 > most {
                return Err(too_large());
            }
            if let Some(on_download) = &self.on_download {
                on_download(&Download { url: shown(url), received: body.len() as u64, total });
            }
        }
    }

    fn send<B: ureq::AsSendBody>(
        &self,
        url: &Url,
        request: ureq::http::Result<Request<B>>,
    ) -> Result<Response<ureq::Body>, PackageError> {
        let request = request.map_err(|error| failed(url, &error.to_string()))?;
        self.agent.run(request).map_err(|error| match error {
            ureq::Error::Timeout(_) => failed(url, "it takes too long to answer"),
            error => failed(url, &error.to_string()),
        })
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
    if is_this_machine(&next) && !is_this_machine(url) {
        return Err(failed(url, "it redirects to this machine"));
    }
    match next.scheme() {
        "https" => Ok(Some(next)),
        "http" if url.scheme() == "http" => Ok(Some(next)),
        _ => Err(failed(url, "it redirects to a URL that is not encrypted")),
    }
}

/// Returns `true` for any spelling of this machine.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(url::Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(url::Host::Ipv6(address)) => {
            let mapped = address.to_ipv4_mapped();
            address.is_loopback()
                || address.is_unspecified()
                || mapped.is_some_and(|it| it.is_loopback() || it.is_unspecified())
        }
        None => false,
    }
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
