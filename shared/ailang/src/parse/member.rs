//! Members of structs: fields and methods.

use super::{Parsed, Parser};
use crate::syntax::{Member, MemberKind};

impl Parser<'_, '_> {
    pub(super) fn member(&mut self) -> Parsed<Member> {
        let first = self.at;
        let name = self.key()?;
        let kind = if self.at_mark("(") {
            let parameters = self.parameters()?;
            let returns = if self.eat("->") { Some(self.ty()?) } else { None };
            MemberKind::Method { parameters, returns }
        } else {
            let optional = self.eat("?");
            self.expect(":")?;
            MemberKind::Field { optional, ty: self.ty()? }
        };
        Ok(Member { name, kind, documentation: self.documentation(first), span: self.span_from(first) })
    }
}
