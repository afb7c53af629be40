//! Types with infinite values.

use std::collections::{HashMap, HashSet};

use super::Checker;
use crate::diagnostic::Code;
use crate::names::{Scope, Symbol, circular};
use crate::syntax::{DefinitionKind, MemberKind, Path, Type, TypeDefinition, TypeKind};

impl<'a> Checker<'_, 'a> {
    /// Reports each cycle of types that require each other.
    pub(super) fn recursion(&mut self) {
        let scope = Scope::new(self.table, self.home);
        let types: Vec<_> = self
            .document
            .definitions()
            .filter_map(|definition| match &definition.kind {
                DefinitionKind::Type(it) => Some((definition, it)),
                _ => None,
            })
            .collect();
        let names: HashMap<&str, usize> = types
            .iter()
            .enumerate()
            .rev()
            .map(|(at, (definition, _))| (definition.name.text.as_str(), at))
            .collect();
        let graph = TypeGraph { types: types.iter().map(|(_, it)| *it).collect(), names, scope };
        for circle in graph.circles() {
            let path: Vec<&str> =
                circle.iter().chain(circle.first()).map(|at| types[*at].0.name.text.as_str()).collect();
            let Some(name) = circle.first().map(|at| &types[*at].0.name) else { continue };
            let message = format!("a value of `{}` would never end: {}", name.text, path.join(" → "));
            self.error(Code::INFINITE_TYPE, name.span, message)
                .help("make the field optional, or put it into a list or an `Option`");
        }
        for circle in graph.equations() {
            let path: Vec<&str> =
                circle.iter().chain(circle.first()).map(|at| types[*at].0.name.text.as_str()).collect();
            let Some(name) = circle.first().map(|at| &types[*at].0.name) else { continue };
            let message = format!("`{}` stands for itself: {}", name.text, path.join(" → "));
            self.error(Code::INFINITE_TYPE, name.span, message)
                .help("put it into a list, a struct or a variant");
        }
        for (definition, it) in types {
            self.growth(&definition.name.text, it);
        }
    }

    /// Reports a generic type that uses itself with ever larger arguments.
    fn growth(&mut self, name: &str, definition: &TypeDefinition) {
        let parameters: HashSet<&str> = definition.parameters.iter().map(|it| it.text.as_str()).collect();
        let mut pending = vec![&definition.ty];
        while let Some(ty) = pending.pop() {
            if let TypeKind::Named { path, arguments } = &ty.kind
                && path.qualifiers.is_empty()
                && path.name.text == name
                && arguments
                    .iter()
                    .any(|argument| !is_parameter(argument, &parameters) && mentions(argument, &parameters))
            {
                let message = format!("`{name}` uses itself with arguments that grow for ever");
                self.error(Code::GROWING_TYPE, ty.span, message);
                return;
            }
            pending.extend(ty.children());
        }
    }
}

fn is_parameter(ty: &Type, parameters: &HashSet<&str>) -> bool {
    matches!(&ty.kind, TypeKind::Named { path, arguments }
        if arguments.is_empty() && parameters.contains(path.text().as_str()))
}

fn mentions(ty: &Type, parameters: &HashSet<&str>) -> bool {
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if is_parameter(ty, parameters) {
            return true;
        }
        pending.extend(ty.children());
    }
    false
}

/// The types of a document with the types that their values require.
struct TypeGraph<'s, 'a> {
    types: Vec<&'a TypeDefinition>,
    names: HashMap<&'a str, usize>,
    scope: Scope<'s, 'a>,
}

impl<'a> TypeGraph<'_, 'a> {
    /// Returns the cycles of types that require each other, each once, starting at its first type.
    fn circles(&self) -> Vec<Vec<usize>> {
        let finite = self.finite();
        // For each infinite type, one infinite type that it requires.
        let next: Vec<Option<usize>> =
            (0..self.types.len())
                .map(|at| {
                    if finite[at] {
                        None
                    } else {
                        self.needed(at).into_iter().find(|needed| !finite[*needed])
                    }
                })
                .collect();
        let mut visited = vec![0_usize; next.len()];
        let mut circles = Vec::new();
        for start in 0..next.len() {
            let mut at = start;
            while visited[at] == 0 {
                visited[at] = start + 1;
                match next[at] {
                    Some(to) => at = to,
                    None => break,
                }
            }
            if next[at].is_some() && visited[at] == start + 1 {
                circles.push(circle(&next, at));
                visited[at] = usize::MAX;
            }
        }
        circles
    }

    /// Returns the circles of types with finite values that stand for each other, without a list, a struct or a variant
    /// between: `type A = A | int`.
    fn equations(&self) -> Vec<Vec<usize>> {
        let finite = self.finite();
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); self.types.len()];
        let mut aliases = Aliases { graph: self, passed: HashMap::new() };
        for (at, targets) in targets.iter_mut().enumerate().filter(|(at, _)| finite[*at]) {
            aliases.stands_for(&self.types[at].ty, at, targets);
        }
        let stays = circular(&targets);
        let mut circles = Vec::new();
        let mut seen = vec![false; targets.len()];
        for start in (0..targets.len()).filter(|at| stays[*at]) {
            // Each step is on a way that leads to a circle.
            let mut way: Vec<usize> = Vec::new();
            let mut next = Some(start);
            while let Some(at) = next.filter(|at| !seen[*at]) {
                seen[at] = true;
                way.push(at);
                next = targets[at].iter().copied().find(|to| stays[*to]);
            }
            if let Some(first) = next.and_then(|to| way.iter().position(|at| *at == to)) {
                let mut circle = way.split_off(first);
                let smallest = circle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(at, _)| at);
                circle.rotate_left(smallest);
                circles.push(circle);
            }
        }
        circles
    }

    /// Returns `true` for each type that has finite values.
    fn finite(&self) -> Vec<bool> {
        let mut finite = vec![false; self.types.len()];
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.types.len()];
        for at in 0..self.types.len() {
            for needed in self.needed(at) {
                users[needed].push(at);
            }
        }
        let mut pending: Vec<usize> = (0..self.types.len()).collect();
        while let Some(at) = pending.pop() {
            if !finite[at] && self.ends(&self.types[at].ty, &finite) {
                finite[at] = true;
                pending.extend(&users[at]);
            }
        }
        finite
    }

    /// Returns the types of this document that a value of a type may require.
    fn needed(&self, at: usize) -> Vec<usize> {
        let mut needed = Vec::new();
        let mut pending = vec![&self.types[at].ty];
        while let Some(ty) = pending.pop() {
            match &ty.kind {
                TypeKind::Refined { base, .. } => pending.push(base),
                TypeKind::Union(members) => pending.extend(members),
                TypeKind::Struct(members) => pending.extend(required(members)),
                TypeKind::Named { .. } => needed.extend(self.target(ty, at)),
                _ => {}
            }
        }
        needed
    }

    /// Resolves a name to a type of this document, but not to a type parameter.
    fn target(&self, ty: &Type, at: usize) -> Option<usize> {
        let TypeKind::Named { path, .. } = &ty.kind else { return None };
        let is_parameter = self.types[at].parameters.iter().any(|it| it.text == path.name.text);
        if !path.qualifiers.is_empty() || is_parameter {
            return None;
        }
        let is_ours = matches!(
            self.scope.find(&path.name.text),
            Some(Symbol::Definition(_, home)) if home == self.scope.home
        );
        self.names.get(path.name.text.as_str()).copied().filter(|_| is_ours)
    }

    fn ends(&self, ty: &Type, finite: &[bool]) -> bool {
        match &ty.kind {
            TypeKind::Refined { base, .. } => self.ends(base, finite),
            TypeKind::Union(members) => members.iter().any(|member| self.ends(member, finite)),
            TypeKind::Struct(members) => required(members).all(|ty| self.ends(ty, finite)),
            TypeKind::Named { path, .. } if path.qualifiers.is_empty() => {
                self.names.get(path.name.text.as_str()).is_none_or(|at| finite[*at])
            }
            _ => true,
        }
    }
}

/// A search for the types that a type stands for.
struct Aliases<'g, 's, 'a> {
    graph: &'g TypeGraph<'s, 'a>,
    /// Whether a generic type may stand for one of its arguments; `false` while it is being looked at.
    passed: HashMap<(*const TypeDefinition, usize), bool>,
}

impl<'s, 'a> Aliases<'_, 's, 'a> {
    /// Adds the types of this document that a type stands for.
    fn stands_for(&mut self, ty: &'a Type, at: usize, found: &mut Vec<usize>) {
        match &ty.kind {
            TypeKind::Refined { base, .. } => self.stands_for(base, at, found),
            TypeKind::Union(members) => members.iter().for_each(|it| self.stands_for(it, at, found)),
            TypeKind::Named { path, arguments } => {
                found.extend(self.graph.target(ty, at));
                let scope = self.graph.scope;
                for (index, argument) in arguments.iter().enumerate() {
                    if self.passes(path, index, scope) {
                        self.stands_for(argument, at, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns `true` if a generic type may stand for an argument.
    fn passes(&mut self, path: &'a Path, index: usize, scope: Scope<'s, 'a>) -> bool {
        let Some(Symbol::Definition(definition, home)) = scope.find_type(path) else { return false };
        let DefinitionKind::Type(it) = &definition.kind else { return false };
        if home == scope.table.prelude_home() {
            return definition.name.text == "Option";
        }
        let key = (std::ptr::from_ref(it), index);
        if let Some(known) = self.passed.get(&key) {
            return *known;
        }
        self.passed.insert(key, false);
        let Some(parameter) = it.parameters.get(index) else { return false };
        let passes = self.mentions(&it.ty, &parameter.text, Scope::new(scope.table, home));
        self.passed.insert(key, passes);
        passes
    }

    fn mentions(&mut self, ty: &'a Type, parameter: &str, scope: Scope<'s, 'a>) -> bool {
        match &ty.kind {
            TypeKind::Refined { base, .. } => self.mentions(base, parameter, scope),
            TypeKind::Union(members) => members.iter().any(|it| self.mentions(it, parameter, scope)),
            TypeKind::Named { path, arguments } if arguments.is_empty() => {
                path.qualifiers.is_empty() && path.name.text == parameter
            }
            TypeKind::Named { path, arguments } => arguments.iter().enumerate().any(|(index, argument)| {
                self.mentions(argument, parameter, scope) && self.passes(path, index, scope)
            }),
            _ => false,
        }
    }
}

/// Returns the types of the required fields.
fn required(members: &[crate::syntax::Member]) -> impl Iterator<Item = &Type> {
    members.iter().filter_map(|member| match &member.kind {
        MemberKind::Field { optional: false, ty } => Some(ty),
        _ => None,
    })
}

fn circle(next: &[Option<usize>], start: usize) -> Vec<usize> {
    let mut circle = vec![start];
    let mut at = start;
    while let Some(to) = next[at].filter(|to| *to != start) {
        circle.push(to);
        at = to;
    }
    let first = circle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(index, _)| index);
    circle.rotate_left(first);
    circle
}
