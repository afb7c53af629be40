//! Structs → rows of types.

use dialect::{RecordType, Signature, Type, TypeAlias};

use super::Lowering;
use super::registered::is_record;
use super::tool::{items, joined};
use super::types::TypeContext;
use crate::diagnostic::Code;
use crate::syntax::{Definition, DefinitionKind, TypeKind};

impl<'a> Lowering<'_, 'a> {
    /// Returns the row of a struct. Its constructor takes the fields in order, required ones first.
    pub(crate) fn record(&mut self, definition: &'a Definition, home: usize) -> Option<RecordType> {
        let DefinitionKind::Type(it) = &definition.kind else { return None };
        let TypeKind::Struct(members) = &it.ty.kind else { return None };
        if !is_record(it) {
            return None;
        }
        self.reset();
        let place = TypeContext::new(self.scope(home));
        let mut fields = self.fields(members, &place)?;
        fields.sort_by_key(|field| field.optional);
        let signature = Signature {
            name: definition.name.text.clone(),
            parameters: fields,
            returns: Type::Any,
            is_open: false,
        };
        let text = self.spelled(&signature, definition, home)?;
        let text = text.strip_suffix(" -> any").map_or_else(|| text.clone(), str::to_owned);
        let docs = members.iter().map(|member| (&member.name, &member.documentation));
        Some(RecordType::new(text, joined(&definition.documentation.text)).docs(items(docs)))
    }

    /// Returns the types that contain themselves without a struct between, as far as they were mentioned, and all that
    /// documents define.
    pub(crate) fn aliases(&mut self) -> Vec<TypeAlias> {
        let mut aliases = Vec::new();
        for (home, definition) in self.circular.definitions(self.table) {
            drop(self.defined_type(definition, home));
            if matches!(&definition.kind, DefinitionKind::Type(it) if it.parameters.is_empty()) {
                drop(self.mention(definition, home));
            }
        }
        while let Some(instance) = self.next_kept() {
            let ty = self.kept_type(&instance);
            let description = joined(&instance.definition.documentation.text);
            aliases.push(TypeAlias { name: instance.name.to_string(), ty, description });
        }
        aliases
    }

    /// Prints a signature; reports one that does not parse as itself.
    pub(super) fn spelled(
        &mut self,
        signature: &Signature,
        definition: &Definition,
        home: usize,
    ) -> Option<String> {
        let text = signature.to_string();
        match Signature::parse(&text) {
            Ok(read) if read == *signature => Some(text),
            Ok(_) => self.unspellable(definition, home, "its signature would mean something else"),
            Err(error) => self.unspellable(definition, home, &error.to_string()),
        }
    }

    fn unspellable(&mut self, definition: &Definition, home: usize, why: &str) -> Option<String> {
        let message = format!("no program can use `{}`: {why}", definition.name.text);
        self.error(home, Code::NO_SUCH_SIGNATURE, definition.name.span, message);
        None
    }
}
