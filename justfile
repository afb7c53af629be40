# Shortcuts. Nothing needs `just`: each recipe is one line that runs by itself.

# the whole test suite
test:
    cargo test

# accept what came out as what is expected; then read the diff
bless:
    UPDATE_EXPECT=1 cargo test

# what CI checks beside the tests
lint:
    cargo fmt --check && cargo clippy --all-targets --features conformance/reports -- -D warnings

fmt:
    cargo fmt

doc:
    RUSTDOCFLAGS="-Dwarnings -Arustdoc::private_intra_doc_links" cargo doc --no-deps --workspace

# licences and the dependency graph (needs cargo-deny)
deny:
    cargo deny check licenses bans sources

# a conversation through the real chain, printed
tour:
    cargo run -p examples --bin tour

# sort and merge imports: one `use` for each module; the standard library, dependencies, this crate (nightly rustfmt)
imports:
    cargo +nightly fmt -- --config imports_granularity=Module,group_imports=StdExternalCrate
