"""How each agent is installed, started and pointed at the scripted model, one recipe an agent.

Every run gives an agent a home of its own; telemetry and updates are off. A recipe's functions get the
folder the agent was installed into, and the model's base URL.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

MODEL = "scripted"


@dataclass(frozen=True)
class Recipe:
    """`package` is "npm name@version" or "pip name==version"; `files` are written under the home. `mode` is the one that
    a session has to start in, and `sub_agent` is the tool that starts a sub-agent. An agent `by_minute` names the file
    of a session by the minute, and empties it when it loads the session within the minute in which it began."""

    package: str
    command: Callable[[Path], list[str]]
    env: Callable[[str], dict[str, str]]
    files: Callable[[str], dict[str, str]] = lambda base: {}
    mode: str | None = None
    sub_agent: str | None = None
    by_minute: bool = False


def node(script):
    """A command that runs a script of an npm package on Node."""
    return lambda prefix: ["node", str(prefix / "node_modules" / script)]


def binary(pattern, *arguments):
    """A command that runs the one native program that matches, whatever the platform's package."""
    return lambda prefix: [str(next((prefix / "node_modules").glob(pattern))), *arguments]


def toml(table, path=""):
    """A table of texts, truth values, numbers and tables as TOML."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += ["", f"[{path}{key}]", toml(value, f"{path}{key}.")]
    return "\n".join(lines)


# Codex defers MCP tools with the models that can search for them, so a real name it is.
CODEX_MODEL = "gpt-5.5"


def codex_config(base):
    provider = {"name": "scripted", "base_url": f"{base}/v1", "wire_api": "responses",
                "env_key": "CODEX_API_KEY", "request_max_retries": 0, "stream_max_retries": 0}
    return {"model": CODEX_MODEL, "model_provider": MODEL, "model_providers": {MODEL: provider},
            "check_for_update_on_startup": False, "analytics": {"enabled": False}}


def opencode_config(base):
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted",
                "options": {"baseURL": f"{base}/v1", "apiKey": "none"},
                "models": {MODEL: {"name": MODEL, "tool_call": True}}}
    return {"provider": {MODEL: provider}, "model": f"{MODEL}/{MODEL}", "autoupdate": False,
            "small_model": f"{MODEL}/{MODEL}", "share": "disabled", "permission": "ask"}


def crow_config(base):
    """JSON is YAML. Without `mcpServers` and a wake bus it has no tools but ours."""
    return {"providers": {MODEL: {"api_key": "none", "base_url": f"{base}/v1"}},
            "models": {MODEL: {"provider": MODEL, "model": MODEL}}, "mcpServers": {}, "redis_url": ""}


def hermes_config(base):
    return {"model": {"default": MODEL, "provider": "custom", "base_url": f"{base}/v1", "api_key": "none"}}


QWEN_SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False}, "model": {"name": "gemini-2.5-pro"},
}

CLAUDE = "@agentclientprotocol/claude-agent-acp"

RECIPES = {
    "goose": Recipe(
        "npm @aaif/goose-acp@1.50.0",
        binary("@aaif/goose-binary-*/bin/goose", "acp"),
        lambda base: {
            "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": MODEL, "GOOSE_MODE": "approve",
            "OPENAI_HOST": base, "OPENAI_API_KEY": "none",
            "GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false",
            "GOOSE_DISABLE_SESSION_NAMING": "true",
        },
    ),
    "claude": Recipe(
        f"npm {CLAUDE}@0.101.0",
        node(f"{CLAUDE}/dist/index.js"),
        lambda base: {
            "ANTHROPIC_BASE_URL": base, "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
        },
        # In the mode `auto`, where it would start, each call of a tool costs a request to a classifier.
        lambda base: {".claude/settings.json": json.dumps({"permissions": {"defaultMode": "default"}})},
        mode="default",
        sub_agent="Agent",
    ),
    "codex": Recipe(
        "npm @agentclientprotocol/codex-acp@2.6.0",
        node("@agentclientprotocol/codex-acp/dist/index.js"),
        lambda base: {
            "CODEX_API_KEY": "none", "CODEX_CONFIG": json.dumps(codex_config(base)),
            "MODEL_PROVIDER": MODEL, "NO_BROWSER": "1",
            # The other modes send approvals of MCP tools to a model, not to the client.
            "INITIAL_AGENT_MODE": "workspace-write",
        },
    ),
    "opencode": Recipe(
        "npm opencode-ai@1.18.33",
        binary("opencode-*/bin/opencode", "acp"),
        lambda base: {
            "OPENCODE_CONFIG_CONTENT": json.dumps(opencode_config(base)),
            "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
    ),
    "kimi": Recipe(
        "npm @moonshot-ai/kimi-code@2.1.0",
        lambda prefix: [*node("@moonshot-ai/kimi-code/dist/main.mjs")(prefix), "acp"],
        lambda base: {
            "KIMI_MODEL_NAME": MODEL, "KIMI_MODEL_API_KEY": "none",
            "KIMI_MODEL_PROVIDER_TYPE": "openai", "KIMI_MODEL_BASE_URL": f"{base}/v1",
            "KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1",
        },
    ),
    "qwen": Recipe(  # defers MCP tools: the model has to search for them, and calls them through another
        "npm @qwen-code/qwen-code@0.24.4",
        lambda prefix: [*node("@qwen-code/qwen-code/cli-entry.js")(prefix), "--acp"],
        lambda base: {
            "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{base}/v1", "OPENAI_MODEL": MODEL,
            "QWEN_TELEMETRY_ENABLED": "false",
        },
        lambda base: {".qwen/settings.json": json.dumps(QWEN_SETTINGS)},
    ),
    "gemini": Recipe(
        "npm @google/gemini-cli@0.61.0",
        lambda prefix: [*node("@google/gemini-cli/bundle/gemini.js")(prefix), "--acp"],
        lambda base: {
            "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": base, "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",  # in a folder not trusted it drops MCP servers silently
        },
        lambda base: {".gemini/settings.json": json.dumps(GEMINI_SETTINGS)},
        by_minute=True,
    ),
    "crow": Recipe(  # advertises no HTTP, so it gets the stdio relay; needs Python 3.13
        "pip crow-cli==0.1.48",
        lambda prefix: [str(prefix / "bin/crow-cli"), "acp"],
        lambda base: {},
        lambda base: {".agents/crow/config.yaml": json.dumps(crow_config(base))},
    ),
    "hermes": Recipe(  # switches a server off for a minute after three failed calls in a row
        "pip hermes-agent[acp,mcp]==0.19.0",
        lambda prefix: [str(prefix / "bin/hermes-acp")],
        lambda base: {"HERMES_DISABLE_LAZY_INSTALLS": "1", "OPENAI_API_KEY": "none"},
        lambda base: {".hermes/config.yaml": json.dumps(hermes_config(base))},
    ),
    "copilot": Recipe(
        "npm @github/copilot@1.0.102",
        lambda prefix: [*node("@github/copilot/npm-loader.js")(prefix), "--acp"],
        lambda base: {
            "COPILOT_PROVIDER_BASE_URL": f"{base}/v1", "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": MODEL, "COPILOT_AUTO_UPDATE": "false",
        },
    ),
    "zedcodex": Recipe(  # the older adapter of Codex
        "npm @zed-industries/codex-acp@0.16.0",
        binary("@zed-industries/codex-acp-*/bin/codex-acp"),
        lambda base: {"CODEX_API_KEY": "none", "NO_BROWSER": "1"},
        lambda base: {".codex/config.toml": toml(codex_config(base) | {"model": MODEL})},
    ),
}
# The same agent under a name that nobody knows, so that it is not trusted to keep the servers of sessions apart.
RECIPES["stranger"] = replace(
    RECIPES["claude"],
    command=lambda prefix: ["sh", "-c", '"$@" | sed -u "s,$0,stranger,"', CLAUDE, *RECIPES["claude"].command(prefix)],
)


@dataclass(frozen=True)
class Headless:
    """An agent's own command line, which starts `dialect mcp` because its settings say so. `setup` is its name for
    `dialect setup`; `turn` gives the words of one turn, in which `PROMPT` stands for the prompt. Without it the prompt
    is on standard input."""

    setup: str
    recipe: Recipe
    turn: list[str]


PROMPT = "$prompt"


# Nobody answers questions here, so each allows the tool on its command line. Dialect asks for itself.
HEADLESS = {
    "claude": Headless(
        "claude-code",
        replace(RECIPES["claude"], package="npm @anthropic-ai/claude-code@2.1.332",
                command=binary("@anthropic-ai/claude-code-*/claude")),
        ["-p", PROMPT, "--allowedTools", "mcp__dialect"],
    ),
    "codex": Headless(
        "codex",
        Recipe(
            "npm @openai/codex@0.171.0",
            node("@openai/codex/bin/codex.js"),
            lambda base: {"CODEX_API_KEY": "none"},
            lambda base: {".codex/config.toml": toml(codex_config(base))},
        ),
        ["exec", "--skip-git-repo-check", "-c", 'mcp_servers.dialect.default_tools_approval_mode="approve"', PROMPT],
    ),
    "gemini": Headless(
        "gemini",
        replace(RECIPES["gemini"], command=node("@google/gemini-cli/bundle/gemini.js")),
        ["-p", PROMPT, "--approval-mode", "yolo"],
    ),
    "qwen": Headless(
        "qwen",
        replace(RECIPES["qwen"], command=node("@qwen-code/qwen-code/cli-entry.js")),
        ["-p", PROMPT, "--approval-mode", "yolo"],
    ),
    "opencode": Headless(
        "opencode",
        replace(RECIPES["opencode"], command=binary("opencode-*/bin/opencode")),
        ["run", "--auto"],  # it would put an argument into quotes
    ),
    "copilot": Headless(
        "copilot",
        replace(RECIPES["copilot"], command=node("@github/copilot/npm-loader.js")),
        ["-p", PROMPT, "--silent", "--allow-tool", "dialect", "--disable-builtin-mcps"],
    ),
}
