//! URLs, queries and UTF-8, for the prelude.

use rquickjs::function::Opt;
use rquickjs::prelude::Func;
use rquickjs::{Object, Result};
use url::{Url, form_urlencoded, quirks};

/// Gives the prelude functions over texts: what is no JSON is `undefined` where there is no result.
pub(crate) fn install(host: &Object<'_>) -> Result<()> {
    let read_url = |text: String, base: Opt<Option<String>>| {
        let base = base.0.flatten().map(|it| Url::parse(&it)).transpose().ok()?;
        Some(parts(&Url::options().base_url(base.as_ref()).parse(&text).ok()?))
    };
    host.set("readUrl", Func::from(read_url))?;
    host.set("setUrl", Func::from(set_url))?;
    let read_query = |text: String| {
        let pairs: Vec<(String, String)> = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        serde_json::to_string(&pairs).unwrap_or_default()
    };
    host.set("readQuery", Func::from(read_query))?;
    let write_query = |pairs: String| {
        let pairs: Vec<(String, String)> = serde_json::from_str(&pairs).unwrap_or_default();
        form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
    };
    host.set("writeQuery", Func::from(write_query))?;
    host.set("encode", Func::from(|text: String| text.into_bytes()))?;
    let decode = |bytes: Vec<u8>, fatal: bool| match fatal {
        true => String::from_utf8(bytes).ok(),
        false => Some(String::from_utf8_lossy(&bytes).into_owned()),
    };
    host.set("decode", Func::from(decode))
}

/// Returns a URL with another part, or nothing for a text that is no URL. Other parts that do not fit leave it as it is.
fn set_url(href: String, part: String, value: String) -> Option<String> {
    let mut url = Url::parse(&href).ok()?;
    match part.as_str() {
        "pathname" => quirks::set_pathname(&mut url, &value),
        "search" => quirks::set_search(&mut url, &value),
        "hash" => quirks::set_hash(&mut url, &value),
        _ => {}
    }
    // The standard ignores parts that do not fit.
    let _ = match part.as_str() {
        "href" => return Url::parse(&value).ok().map(|it| parts(&it)),
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        _ => Ok(()),
    };
    Some(parts(&url))
}

/// Returns the parts of a URL, as JSON.
fn parts(url: &Url) -> String {
    let parts = serde_json::json!({
        "href": quirks::href(url), "origin": quirks::origin(url), "protocol": quirks::protocol(url),
        "username": quirks::username(url), "password": quirks::password(url), "host": quirks::host(url),
        "hostname": quirks::hostname(url), "port": quirks::port(url), "pathname": quirks::pathname(url),
        "search": quirks::search(url), "hash": quirks::hash(url),
    });
    parts.to_string()
}
