//! `http`: JSON over HTTP, each request to the host that was permitted.

use dialect::{Failure, Interrupt, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use url::Url;

use crate::call::Call;
use crate::transport::{HttpRequest, HttpResponse};

/// The most redirects of one request, all of them to the same host.
const MOST_REDIRECTS: usize = 5;

/// The most characters of an answer that an error shows.
const LONGEST_ANSWER: usize = 300;

/// The headers that belong to the connection, and are not a program's.
const OWN_HEADERS: &[&str] = &[
    "connection",
    "content-length",
    "host",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Returns the host of a URL as permissions spell it, with a port that is not the usual one; `None` for what is no URL of
/// a server.
pub(crate) fn domain(url: &str) -> Option<String> {
    of_url(&Url::parse(url).ok()?)
}

fn of_url(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https"))?;
    let host = host.trim_end_matches('.');
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

pub(crate) fn get(call: Call) -> BoxFuture<'static, Result<Value, Interrupt>> {
    async move { request(&call, "GET").await }.boxed()
}

pub(crate) fn post(call: Call) -> BoxFuture<'static, Result<Value, Interrupt>> {
    async move { request(&call, "POST").await }.boxed()
}

pub(crate) fn put(call: Call) -> BoxFuture<'static, Result<Value, Interrupt>> {
    async move { request(&call, "PUT").await }.boxed()
}

pub(crate) fn delete(call: Call) -> BoxFuture<'static, Result<Value, Interrupt>> {
    async move { request(&call, "DELETE").await.map(|_| Value::Null) }.boxed()
}

async fn request(call: &Call, method: &'static str) -> Result<Value, Interrupt> {
    let mut url = Url::parse(call.text("url")?).map_err(|error| refused(call, &error.to_string()))?;
    let host = of_url(&url).ok_or_else(|| refused(call, "only http and https are requested"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(call, "a URL has no place for a password; give it as a header").into());
    }
    let headers = headers(call)?;
    let body = match method {
        "POST" | "PUT" => {
            Some(call.invocation.arguments.get("body").unwrap_or(&Value::Null).to_json().to_string())
        }
        _ => None,
    };
    for _ in 0..=MOST_REDIRECTS {
        let (headers, body) = (headers.clone(), body.clone());
        let sent = HttpRequest { method, url: url.to_string(), headers, body };
        let answer = call.program.transport.send(sent).await;
        let answer = answer.map_err(|reason| failed(call, &host, &reason))?;
        match redirected(&url, &answer) {
            None => return Ok(value(call, &host, answer)?),
            Some(next) if method == "GET" && next.origin() == url.origin() => url = next,
            Some(next) => {
                let to = shown(&next);
                return Err(refused(call, &format!("{host} redirects to {to}; request that instead")).into());
            }
        }
    }
    Err(refused(call, &format!("{host} redirects without an end")).into())
}

fn headers(call: &Call) -> Result<Vec<(String, String)>, Failure> {
    let Some(given) = call.invocation.arguments.get("headers").and_then(Value::fields) else {
        return Ok(Vec::new());
    };
    let header = |(name, value): (&String, &Value)| {
        let is_own = OWN_HEADERS.iter().any(|it| it.eq_ignore_ascii_case(name));
        match value.as_text().filter(|_| !is_own) {
            Some(value) => Ok((name.clone(), value.to_owned())),
            None => Err(refused(call, &format!("the header `{name}` cannot be set"))),
        }
    };
    given.iter().map(header).collect()
}

/// Returns where a response redirects to.
fn redirected(url: &Url, response: &HttpResponse) -> Option<Url> {
    let is_redirect = matches!(response.status, 301 | 302 | 303 | 307 | 308);
    url.join(response.location.as_deref().filter(|_| is_redirect)?).ok()
}

/// Returns the value of a response: JSON, or a text.
fn value(call: &Call, host: &str, response: HttpResponse) -> Result<Value, Failure> {
    let HttpResponse { status, media_type, body, .. } = response;
    if !(200..300).contains(&status) {
        let text = ailang::visible_line(&String::from_utf8_lossy(&body), LONGEST_ANSWER);
        if !(400..600).contains(&status) {
            return Err(refused(call, &format!("{host} answered {status}, which is no result")));
        }
        return Err(call.failure("HttpError", json!({"status": status, "text": text})));
    }
    if body.is_empty() {
        return Ok(Value::Null);
    }
    let text =
        String::from_utf8(body).map_err(|_| refused(call, &format!("the answer of {host} is no text")))?;
    if !is_json(&media_type) {
        return Ok(text.as_str().into());
    }
    let json: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| refused(call, &format!("the answer of {host} is no JSON: {error}")))?;
    Ok(json.into())
}

/// Returns `true` for `application/json`, and for types that are spelled in JSON: `application/problem+json`.
fn is_json(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    name.ends_with("/json") || name.ends_with("+json")
}

/// Returns the failure of a request that makes no sense, also the next time.
fn refused(call: &Call, reason: &str) -> Failure {
    call.failure("RequestError", json!({"reason": ailang::visible_line(reason, LONGEST_ANSWER)}))
}

fn failed(call: &Call, host: &str, reason: &str) -> Failure {
    let reason = ailang::visible_line(reason, LONGEST_ANSWER);
    call.failure("NetworkError", json!({"host": host, "reason": reason}))
}

/// Returns a URL without a query, which may have secrets.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    ailang::visible_line(url.as_str(), LONGEST_ANSWER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_spelled_as_permissions_spell_it() {
        for (url, expected) in [
            ("https://api.example.org/cities?q=1", Some("api.example.org")),
            ("https://API.Example.org.:443/", Some("api.example.org")),
            ("http://localhost:8080", Some("localhost:8080")),
            ("http://[::1]:8080", Some("[::1]:8080")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("https://a@evil.example", Some("evil.example")),
            ("file:///etc/passwd", None),
            ("nothing", None),
        ] {
            assert_eq!(domain(url).as_deref(), expected, "{url}");
        }
    }
}
