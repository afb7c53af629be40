//! The level of trust for a workspace.

use adapter::fallback::Level;
use clap::Args;

use crate::failure::Failure;
use crate::server;

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Trust {
    /// The level of trust for the workspace, in place of your saved choice
    ///
    /// - restricted: language servers run no code of the workspace, and know less.
    /// - confined: language servers run what they need, including build scripts and macros, behind a wall (a sandbox of
    ///   the operating system). It keeps them from your files, the network and other programs. This is the default.
    ///   Where the machine cannot build a wall, the default is restricted.
    /// - trusted: language servers run what they need with your own rights, and the settings of the workspace count.
    #[arg(long, value_name = "LEVEL", verbatim_doc_comment)]
    level: Option<Level>,
    /// Start language servers of this process's own, instead of those that the background process shares
    #[arg(long)]
    no_server: bool,
    /// Short for --level trusted
    #[arg(long, conflicts_with = "level")]
    trust: bool,
}

impl Trust {
    /// Configures a fallback for this level, with a wall where this machine can build one. It uses the background process,
    /// by the settings that it has.
    ///
    /// # Errors
    /// The level is `confined`, and this machine cannot build a wall.
    pub(crate) fn set_up(self, config: &mut adapter::fallback::Config) -> Result<(), Failure> {
        config.build_walls();
        if !self.no_server {
            let executable = config.supervisor.clone();
            config.use_background(&executable, server::ARGUMENTS);
        }
        config.level = if self.trust { Some(Level::Trusted) } else { self.level };
        // `build_walls` tried already; this repeats it to get the reason.
        match config
            .level
            .filter(|it| *it == Level::Confined && !config.wall)
            .map(|_| adapter::fallback::wall())
        {
            Some(Err(absent)) => Err(format!(
                "no workspace can be confined on this machine: {absent}. Use `--level restricted`"
            )
            .into()),
            _ => Ok(()),
        }
    }
}
