//! Java, Kotlin, Scala and Clojure.

use super::ids;
use super::profile::OutsideFolder::{At, Cache, Home, Variable};
use super::profile::{ProgramCandidate, SERVER, ServerProfile, VersionCheck, by_system};
use super::row::{Language, PackageRule, ROW, RootRule};

const BUILD: PackageRule = PackageRule::Manifest(&["pom.xml", "build.gradle", "build.gradle.kts"]);

pub(crate) const JAVA: Language = Language {
    id: ids::JAVA,
    name: "Java",
    files: &[("java", "java")],
    markers: &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
    root: RootRule::Session,
    manifests: &["pom.xml", "build.gradle", "build.gradle.kts"],
    packages: BUILD,
    servers: &[ServerProfile {
        name: "jdtls",
        candidates: &[ProgramCandidate::SearchPath("jdtls")],
        install: by_system(
            "brew install jdtls",
            "unpack https://download.eclipse.org/jdtls/snapshots into the search path",
        ),
        runs: Some("its Gradle or Maven build"),
        ..SERVER
    }],
    is_plain: true,
    letters: "$",
    given: &[
        Variable("JAVA_HOME", ""),
        At("/usr/lib/jvm"),
        Home(".sdkman/candidates"),
        Home(".m2/repository"),
        Variable("GRADLE_USER_HOME", "caches"),
        Home(".gradle/caches"),
    ],
    ..ROW
};

pub(crate) const KOTLIN: Language = Language {
    id: "kotlin",
    name: "Kotlin",
    files: &[("kt", "kotlin"), ("kts", "kotlin")],
    markers: &["build.gradle.kts", "settings.gradle.kts"],
    manifests: &["build.gradle.kts", "settings.gradle.kts"],
    packages: BUILD,
    servers: &[
        ServerProfile {
            name: "kotlin-lsp",
            candidates: &[ProgramCandidate::SearchPath("kotlin-lsp")],
            args: &["--stdio"],
            install: by_system(
                "brew install JetBrains/utils/kotlin-lsp",
                "unpack https://github.com/Kotlin/kotlin-lsp/releases into the search path",
            ),
            runs: Some("its Gradle build"),
            ..SERVER
        },
        ServerProfile {
            name: "kotlin-language-server",
            candidates: &[ProgramCandidate::SearchPath("kotlin-language-server")],
            install: by_system(
                "brew install kotlin-language-server",
                "unpack https://github.com/fwcd/kotlin-language-server/releases into the search path",
            ),
            runs: Some("its Gradle build"),
            ..SERVER
        },
    ],
    ..ROW
};

pub(crate) const SCALA: Language = Language {
    id: "scala",
    name: "Scala",
    files: &[("scala", "scala"), ("sc", "scala")],
    markers: &["build.sbt", "build.sc", "build.mill"],
    manifests: &["build.sbt"],
    servers: &[ServerProfile {
        name: "metals",
        candidates: &[ProgramCandidate::SearchPath("metals")],
        proof: VersionCheck::Version(&["--version"]),
        install: "cs install metals",
        runs: Some("its sbt build"),
        ..SERVER
    }],
    given: &[Cache("coursier"), Home(".ivy2/cache")],
    ..ROW
};

pub(crate) const CLOJURE: Language = Language {
    id: "clojure",
    name: "Clojure",
    files: &[("clj", "clojure"), ("cljs", "clojure"), ("cljc", "clojure"), ("edn", "clojure")],
    markers: &["deps.edn", "project.clj"],
    manifests: &["deps.edn", "project.clj"],
    servers: &[ServerProfile {
        name: "clojure-lsp",
        candidates: &[ProgramCandidate::SearchPath("clojure-lsp")],
        proof: VersionCheck::Version(&["--version"]),
        install: by_system(
            "brew install clojure-lsp/brew/clojure-lsp-native",
            "unpack https://github.com/clojure-lsp/clojure-lsp/releases into the search path",
        ),
        runs: Some("its classpath command"),
        ..SERVER
    }],
    definition: r"\(\s*def\S*\s+(?:\^\S+\s+)*NAME\b",
    declaration: r"^\(def\S*\s+(?:\^\S+\s+)*NAME",
    comment: ";",
    separator: "/",
    given: &[Home(".gitlibs/libs")],
    ..ROW
};
