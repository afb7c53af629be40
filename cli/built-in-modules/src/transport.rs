//! The way of requests to servers.

use std::io::Read as _;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use ureq::Agent;
use ureq::http::Request;

/// The time of one request, with its answer.
const TIMEOUT: Duration = Duration::from_secs(30);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes of an answer.
const LARGEST: u64 = 8 << 20;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'static str,
    /// The URL.
    pub url: String,
    /// The names and values of headers.
    pub headers: Vec<(String, String)>,
    /// The body, which is JSON.
    pub body: Option<String>,
}

/// A response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The `content-type`; empty without one.
    pub media_type: String,
    /// The `location` of a redirect.
    pub location: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// Sends requests. It follows no redirects: those lead where nobody permitted to go.
pub trait Transport: Send + Sync {
    /// Sends a request, and returns its response of any status, or the reason why there is none.
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpResponse, String>>;
}

/// The network.
#[derive(Clone)]
pub struct Internet(Agent);

impl std::fmt::Debug for Internet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Internet")
    }
}

impl Default for Internet {
    fn default() -> Self {
        let config = packages::agent_config()
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("ailang/", env!("CARGO_PKG_VERSION")))
            .build();
        Self(Agent::new_with_config(config))
    }
}

impl Transport for Internet {
    /// Sends it on a thread of its own: the client waits, and programs run in any executor.
    fn send(&self, request: HttpRequest) -> BoxFuture<'static, Result<HttpResponse, String>> {
        let (sender, response) = oneshot::channel();
        let agent = self.0.clone();
        let thread = std::thread::Builder::new().name("http".to_owned());
        let started = thread.spawn(move || {
            // Nobody waits for the answer of a program that has ended.
            let _ = sender.send(exchanged(&agent, request));
        });
        async move {
            started.map_err(|error| format!("no thread can be started: {error}"))?;
            response.await.map_err(|_| "the request was given up".to_owned())?
        }
        .boxed()
    }
}

fn exchanged(agent: &Agent, request: HttpRequest) -> Result<HttpResponse, String> {
    let HttpRequest { method, url, headers, body } = request;
    let mut builder = Request::builder().method(method).uri(&url);
    for (name, value) in &headers {
        builder = builder.header(name, value);
    }
    let sent = match body {
        Some(body) => {
            let has_type = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            let builder = if has_type { builder } else { builder.header("content-type", "application/json") };
            builder.body(body).map_err(|error| error.to_string()).and_then(|it| run(agent, it))
        }
        None => builder.body(()).map_err(|error| error.to_string()).and_then(|it| run(agent, it)),
    };
    let response = sent?;
    let header = |name: &str| response.headers().get(name).and_then(|it| it.to_str().ok()).map(str::to_owned);
    let (status, media_type) = (response.status().as_u16(), header("content-type").unwrap_or_default());
    let location = header("location");
    let mut body = Vec::new();
    let mut reader = response.into_body().into_with_config().limit(LARGEST + 1).reader();
    reader.read_to_end(&mut body).map_err(|error| error.to_string())?;
    if body.len() as u64 > LARGEST {
        return Err(format!("its answer has more than {LARGEST} bytes"));
    }
    Ok(HttpResponse { status, media_type, location, body })
}

fn run<B: ureq::AsSendBody>(
    agent: &Agent,
    request: Request<B>,
) -> Result<ureq::http::Response<ureq::Body>, String> {
    agent.run(request).map_err(|error| match error {
        ureq::Error::Timeout(_) => "it takes too long to answer".to_owned(),
        error => error.to_string(),
    })
}
