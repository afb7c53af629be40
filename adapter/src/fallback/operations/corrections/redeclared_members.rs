//! Uses of inherited Python attributes that several classes assign or declare: `self.debug = True`.
//!
//! The servers treat each such class as having a separate member. Names that resolve to another one are then
//! missing from the uses.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::{Column, Listing, Navigation, Operation, Point, Reason};

use super::assigned_attributes;
use super::correction::{BaseMember, Correction, Place, Query, Scope, Uses};
use super::unlisted_references::is_value_of_type;
use crate::fallback::operations::lookup::follow::ResolvedMentions;
use crate::fallback::operations::lookup::leads::there;
use crate::fallback::operations::lookup::supertypes;
use crate::fallback::operations::lookup::target::Subject;
use crate::fallback::session::query_context::{Problem, QueryContext, file_syntax};
use crate::fallback::source::languages::{Language, ids};
use crate::fallback::source::names::Name;
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, of_node};
use crate::fallback::syntactic::syntax_facts::Usage;
use crate::fallback::workspace::format_places::{NAMED, line_of, places};
use crate::fallback::workspace::session_folders::SessionFolders;

/// The servers that have the weakness.
pub(crate) const SCOPE: Scope = Scope { id: "redeclared-members", languages: &[ids::PYTHON], ..Scope::ALL };

/// The row of this correction.
pub(crate) const ROW: Correction = Correction {
    scope: SCOPE,
    operations: &[Operation::References, Operation::Callers, Operation::Implementations, Operation::Rename],
    why: "ty 0.0.105 and basedpyright 1.40 treat `self.debug = True` in a subclass as a separate member, \
          even if a base class defines `debug`",
    uses: Some(|query, uses| Box::pin(correct(query, uses))),
    gaps: Some(|query, _| Box::pin(gaps(query))),
    ..Correction::NONE
};

/// Adds the uses that resolve to a base class's attribute, or to an assignment of it in a subclass.
async fn correct(query: &Query<'_>, uses: &mut Uses) -> Result<(), Problem> {
    let (asking, roots, subject) = (query.asking(), query.roots(), query.subject);
    if is_value_of_type(asking, subject).await?
        && let Some(base) = of_base(query).await?
    {
        uses.base = Some(base);
        return Ok(());
    }
    let reassigned = Reassigned::of(asking, roots, subject, &uses.missed).await?;
    uses.extents.extend(reassigned.uses.iter().cloned());
    if query.context.operation == Operation::References {
        uses.reasons.extend(reassigned.reason(asking, roots, &subject.name));
    }
    Ok(())
}

/// Adds the uses of a base class's attribute to those of a class. Leaves out those on other subclasses.
///
/// # Errors
/// As [`correct_uses`](super::correct_uses).
pub(crate) async fn add_uses_of_base(
    query: &Query<'_>,
    base: BaseMember,
    mut extents: BTreeSet<Place>,
    uses: &mut Uses,
) -> Result<(), Problem> {
    let (asking, roots) = (query.asking(), query.roots());
    let BaseMember { own, class, at } = base;
    let is_list = matches!(query.context.operation, Operation::References | Operation::Callers);
    let mut unrelated = UnrelatedUses::default();
    if is_list {
        let added: Vec<_> = extents.iter().filter(|it| !uses.extents.contains(it)).cloned().collect();
        unrelated = UnrelatedUses::of(asking, &own, &added).await?;
        extents.retain(|it| !unrelated.uses.contains(it));
    }
    uses.extents.extend(extents);
    if query.context.operation == Operation::References {
        let name = query.subject.name.clone();
        let place = line_of(roots, (&at.path, Extent::at(at.point)));
        uses.reasons.push(Reason::MemberOfBase { name: name.clone(), class: class.clone(), place });
        uses.reasons.extend(unrelated.reason(roots, name, class));
    }
    uses.noted.extend(unrelated.uses);
    Ok(())
}

/// The maximum number of uses whose receivers' types are asked for.
const ASKED: usize = 1000;

/// The number of requests at the same time.
const AT_ONCE: usize = 8;

/// Uses of a base class's attribute on classes that are neither above nor below the one in question.
#[derive(Default)]
struct UnrelatedUses {
    uses: BTreeSet<Place>,
    classes: BTreeSet<String>,
}

impl UnrelatedUses {
    /// Finds them by the types of what stands before the dot. A use on a value of unknown type is none of them. Of very
    /// many uses none is looked at.
    async fn of(asking: &QueryContext, own: &Candidate, uses: &[Place]) -> Result<Self, Problem> {
        let mut unrelated = Self::default();
        if uses.len() > ASKED {
            return Ok(unrelated);
        }
        let above = supertypes::above(asking, own.clone()).await?;
        let mut related: BTreeMap<_, _> =
            above.iter().chain([own]).map(|it| (supertypes::place(it), true)).collect();
        for some in uses.chunks(AT_ONCE) {
            let asked = some.iter().map(|(path, extent)| classes_of_receiver(asking, path, *extent));
            for (place, classes) in some.iter().zip(try_join_all(asked).await?) {
                let mut is_unrelated = !classes.is_empty();
                for class in &classes {
                    if let Entry::Vacant(unknown) = related.entry(supertypes::place(class)) {
                        unknown.insert(supertypes::extends(asking, class.clone(), own).await?);
                    }
                    is_unrelated &= !related[&supertypes::place(class)];
                }
                if is_unrelated {
                    unrelated.classes.extend(classes.into_iter().map(|it| it.name));
                    unrelated.uses.insert(place.clone());
                }
            }
        }
        Ok(unrelated)
    }

    /// Returns the reason that these are left out, if there are any.
    fn reason(&self, roots: &SessionFolders, name: String, class: String) -> Option<Reason> {
        (!self.uses.is_empty()).then(|| Reason::UsesOnOthers {
            name,
            class,
            others: Listing::of(self.classes.iter().cloned(), NAMED),
            places: places(roots, &self.uses, NAMED),
        })
    }
}

/// Returns the classes of the value before the dot of an attribute; empty if they are not known.
async fn classes_of_receiver(
    asking: &QueryContext,
    path: &Path,
    attribute: Extent,
) -> Result<Vec<Candidate>, Problem> {
    let at = attribute.start;
    let Some(text) = asking.text(path).await else { return Ok(Vec::new()) };
    let line = text.line(at.line.index()).unwrap_or_default();
    let Some((word, columns)) = receiver(asking.server.setup.language, line, at.column.index()) else {
        return Ok(Vec::new());
    };
    if word == "self" {
        return Ok(class_around(asking, path, at).await?.into_iter().collect());
    }
    let point = Extent::within(at.line.index(), columns).start;
    let mut classes = Vec::new();
    for target in asking.goto(Navigation::TypeDefinitions, path, point).await? {
        match there(asking, &target, None).await?.filter(|it| it.kind == "class") {
            Some(class) => classes.push(class),
            None => return Ok(Vec::new()),
        }
    }
    Ok(classes)
}

/// Returns the name before the dot of an attribute, and its columns; `None` for other expressions.
fn receiver(language: &Language, line: &str, attribute: usize) -> Option<(String, Range<usize>)> {
    let words = language.words(line);
    let at = words.iter().position(|(_, columns)| columns.start == attribute)?;
    let (word, columns) = words.get(at.checked_sub(1)?)?;
    let between: String = line.chars().take(attribute).skip(columns.end).collect();
    (between.trim() == ".").then(|| (word.clone(), columns.clone()))
}

/// Returns the attribute in the topmost class that has it, if that is a base class.
async fn of_base(query: &Query<'_>) -> Result<Option<BaseMember>, Problem> {
    let (asking, Subject { path, point, name }) = (query.asking(), query.subject);
    let Some(own) = class_around(asking, path, *point).await? else { return Ok(None) };
    let mut top = None;
    for base in supertypes::above(asking, own.clone()).await? {
        if let Some(point) = member_at(asking, &base, name).await? {
            top = Some((base, point));
        }
    }
    let Some((base, point)) = top else { return Ok(None) };
    let at = Subject { path: base.path.clone(), point, name: name.clone() };
    let class = base.name.clone();
    // Classes that extend each other would never end.
    if !is_value_of_type(asking, &at).await? || supertypes::extends(asking, base, &own).await? {
        return Ok(None);
    }
    Ok(Some(BaseMember { own, class, at }))
}

async fn gaps(query: &Query<'_>) -> Result<Vec<Reason>, Problem> {
    let is_followed = matches!(query.context.operation, Operation::Callers | Operation::References);
    if is_followed {
        return Ok(Vec::new());
    }
    Ok(defined_above(query.asking(), query.roots(), query.subject).await?.into_iter().collect())
}

/// The assignments of a member in subclasses.
#[derive(Debug, Default)]
pub(crate) struct Reassigned {
    /// The positions of the member's name in these assignments.
    pub(crate) at: BTreeSet<(PathBuf, Point)>,
    /// The uses that resolve to these assignments, including the assignments.
    pub(crate) uses: BTreeSet<(PathBuf, Extent)>,
    classes: BTreeSet<String>,
    /// `true` if there may be more.
    is_cut: bool,
}

impl Reassigned {
    /// Finds the assignments among the mentions that resolve to something other than the member.
    pub(crate) async fn of(
        asking: &QueryContext,
        roots: &SessionFolders,
        subject: &Subject,
        missed: &ResolvedMentions,
    ) -> Result<Self, Problem> {
        let mut reassigned = Self { is_cut: missed.is_cut, ..Self::default() };
        if missed.elsewhere.is_empty() || !SCOPE.applies(asking) {
            return Ok(reassigned);
        }
        let Some(own) = class_around(asking, &subject.path, subject.point).await? else {
            return Ok(reassigned);
        };
        let mut led_to = BTreeMap::new();
        for to in missed.elsewhere.iter().flat_map(|it| &it.to) {
            if let Some(at) = name_at(asking, to, &subject.name).await {
                led_to.entry((to.0.clone(), Extent::at(at))).or_insert_with(Vec::new).push(to.clone());
            }
        }
        let is_value = is_value_of_type(asking, subject).await?;
        let mut leading_there = BTreeSet::new();
        let mut extending: BTreeMap<(PathBuf, Extent), bool> = BTreeMap::new();
        let declares = |it: &Usage| it.role == "write" || is_value && it.role == "definition";
        for (path, at) in file_syntax::with_usage(asking, roots, led_to.keys(), declares).await {
            if !is_value_of_type(asking, &Subject { path: path.clone(), point: at.start, ..subject.clone() })
                .await?
            {
                continue; // a local variable, or a method
            }
            let Some(class) = class_around(asking, path, at.start).await? else { continue };
            let (name, key) = (class.name.clone(), (class.path.clone(), class.name_at));
            let extends = match extending.get(&key) {
                Some(extends) => *extends,
                None => supertypes::extends(asking, class, &own).await?,
            };
            extending.insert(key, extends);
            if extends {
                reassigned.at.insert((path.clone(), at.start));
                leading_there.extend(&led_to[&(path.clone(), *at)]);
                reassigned.classes.insert(name);
            }
        }
        let leading =
            missed.elsewhere.iter().filter(|led| led.to.iter().any(|it| leading_there.contains(it)));
        reassigned.uses.extend(leading.map(|it| it.from.clone()));
        Ok(reassigned)
    }

    /// Returns the reason that the uses include these places, if there are any.
    fn reason(&self, asking: &QueryContext, roots: &SessionFolders, name: &str) -> Option<Reason> {
        let at: Vec<_> = self.at.iter().map(|(path, at)| (path.clone(), Extent::at(*at))).collect();
        (!self.at.is_empty()).then(|| Reason::SetInSubclasses {
            name: name.to_owned(),
            classes: Listing::of(self.classes.iter().cloned(), NAMED),
            server: asking.server.name().to_owned(),
            places: places(roots, &at, NAMED),
            is_cut: self.is_cut,
        })
    }
}

/// Returns the position of the name itself; a server may point at the whole of `self.debug`.
async fn name_at(asking: &QueryContext, (path, at): &(PathBuf, Point), name: &str) -> Option<Point> {
    let text = asking.text(path).await?;
    let words = asking.server.setup.language.words(text.line(at.line.index())?);
    let mut there = words.into_iter().skip_while(|(_, columns)| columns.start < at.column.index()).take(2);
    let (_, columns) = there.find(|(word, _)| word == name)?;
    Some(Point { column: Column::from_index(columns.start), ..*at })
}

/// Returns the reason that a base class defines a member that this class only assigns. The server treats it as a
/// separate member and does not list the uses of the base's.
pub(crate) async fn defined_above(
    asking: &QueryContext,
    roots: &SessionFolders,
    subject: &Subject,
) -> Result<Option<Reason>, Problem> {
    let own = (subject.path.clone(), Extent::at(subject.point));
    if file_syntax::with_role(asking, [&own], "write").await.is_empty() {
        return Ok(None);
    }
    let Some(class) = class_around(asking, &subject.path, subject.point).await? else { return Ok(None) };
    for base in supertypes::above(asking, class).await? {
        if let Some(point) = member_at(asking, &base, &subject.name).await? {
            let (name, server) = (subject.name.clone(), asking.server.name().to_owned());
            let place = line_of(roots, (&base.path, Extent::at(point)));
            return Ok(Some(Reason::DefinedInBase { name, class: base.name, place, server }));
        }
    }
    Ok(None)
}

/// Returns the position at which a class itself defines a member.
async fn member_at(asking: &QueryContext, class: &Candidate, name: &str) -> Result<Option<Point>, Problem> {
    let nodes = asking.outline(&class.path).await?;
    let of = outline::named_at(&nodes, class.name_at.start);
    if let Some(member) = of.and_then(|it| it.node.children.iter().find(|it| it.name == name)) {
        return Ok(Some(member.name_at.start));
    }
    let Some(text) = asking.text(&class.path).await else { return Ok(None) };
    let lines = (class.whole.start.line.index()..=class.whole.end.line.index()).collect();
    let wanted = Name { path: Vec::new(), last: name.to_owned() };
    let all = outline::all(&nodes);
    let attributes = assigned_attributes::of((&class.path, &text), &lines, &all, &wanted);
    Ok(attributes.iter().find(|it| it.container.as_ref() == Some(&class.name)).map(|it| it.name_at.start))
}

/// Returns the innermost class around a point.
pub(crate) async fn class_around(
    asking: &QueryContext,
    path: &Path,
    point: Point,
) -> Result<Option<Candidate>, Problem> {
    around(asking, path, point, |kind| kind == "class").await
}

/// Returns the innermost definition around a point whose kind fits.
pub(super) async fn around(
    asking: &QueryContext,
    path: &Path,
    point: Point,
    fits: impl Fn(&str) -> bool,
) -> Result<Option<Candidate>, Problem> {
    let nodes = asking.outline(path).await?;
    let all = outline::all(&nodes);
    let around = all.iter().rfind(|it| fits(it.node.kind) && it.node.whole.holds(point));
    Ok(around.map(|it| of_node(path, it, &Name::any())))
}
