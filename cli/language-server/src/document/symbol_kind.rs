//! The kinds of symbols, as editors show them.

use ailang::OccurrenceKind;

use crate::answers::Kind;

/// Returns the kind of a symbol for icons and colours.
pub(super) fn kind_of(kind: OccurrenceKind) -> Kind {
    match kind {
        OccurrenceKind::Type => Kind::Type,
        OccurrenceKind::Enum => Kind::Enum,
        OccurrenceKind::Capability => Kind::Capability,
        OccurrenceKind::Error => Kind::Error,
        OccurrenceKind::Tool => Kind::Tool,
        OccurrenceKind::Module => Kind::Module,
        OccurrenceKind::TypeParameter => Kind::TypeParameter,
        OccurrenceKind::Variant => Kind::Variant,
        OccurrenceKind::Field => Kind::Field,
        OccurrenceKind::Method => Kind::Method,
        OccurrenceKind::Parameter => Kind::Parameter,
        OccurrenceKind::Variable => Kind::Variable,
    }
}
