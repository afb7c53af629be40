//! Reports of the fields of OpenAPI that documents have no counterpart for.

use ailang::plain;
use serde_json::{Map, Value};

use super::failures::rows;
use super::operation::OperationReader;
use crate::bridges::read::step;

/// The fields of the whole document that are read.
const DOCUMENT: &[&str] = &["openapi", "info", "servers", "paths", "components", "security"];

const INFO: &[&str] = &["title", "description", "version"];

const COMPONENTS: &[&str] = &["schemas", "securitySchemes", "parameters", "requestBodies", "responses"];

/// The groups of components that are read where something refers to them.
const REFERRED: &[&str] = &["parameters", "requestBodies", "responses"];

/// The fields of a path beside its methods.
const PATH: &[&str] = &["parameters", "get", "put", "post", "delete", "options", "head", "patch", "trace"];

const OPERATION: &[&str] = &[
    "operationId",
    "summary",
    "description",
    "deprecated",
    "parameters",
    "requestBody",
    "responses",
    "security",
];

pub(super) const PARAMETER: &[&str] =
    &["name", "in", "description", "required", "deprecated", "schema", "content"];
pub(super) const BODY: &[&str] = &["content", "required"];
pub(super) const MEDIA_TYPE: &[&str] = &["schema"];

/// The fields of a response that is a result.
pub(super) const RESULT: &[&str] = &["content"];

impl OperationReader<'_> {
    /// Reports the fields of an object except those that are read.
    pub(super) fn report_unread(&mut self, object: &Value, read: &[&str], at: &str) {
        for (key, _) in rows(Some(object)) {
            if !read.contains(&key.as_str()) && !key.starts_with("x-ailang") && !is_ours(at, key, object) {
                let what = format!("`{}`", plain(key, 40));
                self.schemas.remarks.lost(at, what, "documents have no counterpart");
            }
        }
    }

    /// Reports the fields of an operation that are not read.
    pub(super) fn report_operation(&mut self, operation: &Map<String, Value>, at: &str) {
        for key in operation.keys() {
            let has_both = key == "summary" && operation.contains_key("description");
            if !OPERATION.contains(&key.as_str()) && !key.starts_with("x-ailang") || has_both {
                self.schemas.remarks.lost(at, format!("`{}`", plain(key, 40)), "tools have no counterpart");
            }
        }
    }

    /// Reports the fields that are not of an operation, after all operations.
    pub(super) fn report_document(&mut self) {
        let root = self.root;
        self.report_unread(root, DOCUMENT, "");
        self.report_unread(&root["info"], INFO, "/info");
        let servers = root.get("servers").and_then(Value::as_array);
        if servers.is_some_and(|it| !it.is_empty()) {
            let why = "their hosts limit `NetworkAccess`; the rest of their URLs is not kept";
            self.schemas.remarks.changed("/servers", "the servers", why);
        }
        for (path, item) in rows(root.get("paths")) {
            if !item.is_object() {
                self.schemas.remarks.lost(&format!("/paths/{}", step(path)), "a path", "it is no object");
            }
            self.report_unread(item, PATH, &format!("/paths/{}", step(path)));
        }
        let components = root.get("components");
        self.report_unread(components.unwrap_or(&Value::Null), COMPONENTS, "/components");
        for group in REFERRED {
            for (key, _) in rows(components.and_then(|it| it.get(group))) {
                let at = format!("/components/{group}/{}", step(key));
                if !self.followed.contains(&at) {
                    self.schemas.remarks.lost(&at, "a component", "nothing refers to it");
                }
            }
        }
    }
}

/// Returns `true` for the words of a response that every export of ours has.
fn is_ours(at: &str, key: &str, object: &Value) -> bool {
    key == "description" && at.ends_with("/responses/200") && object[key] == "The result."
}
