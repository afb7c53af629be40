//! The ways in which agents keep the MCP servers of their sessions.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use anyhow::{Result, anyhow};
use futures::future::try_join_all;
use serde_json::Value;
use tokio::sync::{Mutex as AsyncMutex, OnceCell};

use super::Config;
use crate::mcp::{Client, Hears, Server};
use crate::wire::Peer;
use unpoisoned::lock;

/// The way in which an agent keeps MCP servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// Each session connects to its own.
    #[default]
    BySession,
    /// By name: a session uses the connection of an earlier one, if its server has the same name.
    ByName,
    /// By name, and a session whose server has a known name is refused.
    UniqueNames,
    /// All sessions use the connections of the first.
    First,
}

impl FromStr for Keeping {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "by-session" => Ok(Self::BySession),
            "by-name" => Ok(Self::ByName),
            "unique-names" => Ok(Self::UniqueNames),
            "first" => Ok(Self::First),
            _ => Err(anyhow!("no agent keeps its servers `{name}`")),
        }
    }
}

/// The MCP servers of an agent.
#[derive(Default)]
pub(super) struct Servers {
    names: Mutex<HashSet<String>>,
    by_name: AsyncMutex<HashMap<String, Arc<Server>>>,
    first: OnceCell<Vec<Arc<Server>>>,
}

impl Servers {
    /// Returns the message by which a session is refused, if it is.
    pub(super) fn refusal(&self, keeping: Keeping, declared: &Value) -> Option<String> {
        if keeping != Keeping::UniqueNames {
            return None;
        }
        let mut names = lock(&self.names);
        let known = declared.as_array()?.iter().filter_map(|it| it["name"].as_str());
        let taken = known.filter(|it| !names.insert((*it).to_owned())).collect::<Vec<_>>();
        (!taken.is_empty()).then(|| format!("MCP servers of these names exist: {}", taken.join(", ")))
    }

    /// Connects to the servers of a session, or takes connections that are there.
    pub(super) async fn connected(
        &self,
        declared: &Value,
        config: &Config,
        agent: &Peer,
        hears: Option<Hears>,
    ) -> Result<Vec<Arc<Server>>> {
        let entries: Vec<Value> = declared.as_array().cloned().unwrap_or_default();
        let client = Client { era: config.era, keeps_posts: config.keeps_posts, hears };
        let connect = async |entry: &Value| Server::connect(entry, client.clone(), agent).await.map(Arc::new);
        match config.keeping {
            Keeping::BySession | Keeping::UniqueNames => try_join_all(entries.iter().map(connect)).await,
            Keeping::First => {
                let all = async || try_join_all(entries.iter().map(connect)).await;
                self.first.get_or_try_init(all).await.cloned()
            }
            Keeping::ByName => {
                let mut by_name = self.by_name.lock().await;
                let mut servers = Vec::new();
                for entry in &entries {
                    let name = entry["name"].as_str().unwrap_or_default().to_owned();
                    let server = match by_name.get(&name) {
                        Some(server) => Arc::clone(server),
                        None => connect(entry).await?,
                    };
                    by_name.insert(name, Arc::clone(&server));
                    servers.push(server);
                }
                Ok(servers)
            }
        }
    }
}
