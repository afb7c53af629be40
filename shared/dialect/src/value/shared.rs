//! Copy-on-write parts of values, so that a copy is cheap at any size.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use super::size::Size;
use crate::Signature;

/// A `T` that its clones share, until one of them is changed.
#[derive(Clone, Default)]
pub struct Shared<T>(Arc<Known<T>>);

/// A `T`, with what is cached about it.
#[derive(Default)]
struct Known<T> {
    inner: T,
    size: OnceLock<Size>,
    /// The type whose fields it has; of a list, which each of its elements is a record of.
    form: OnceLock<Arc<Signature>>,
}

impl<T> Shared<T> {
    /// Returns its size, which `measure` computes once.
    pub(crate) fn size(&self, measure: impl FnOnce(&T) -> Size) -> Size {
        *self.0.size.get_or_init(|| measure(&self.0.inner))
    }

    /// Returns `true` if it has the form of a registered type's signature, which `check` computes once. The
    /// types in the signature are the same in every registry that has it.
    pub(crate) fn has_form(&self, signature: &Arc<Signature>, check: impl FnOnce(&T) -> bool) -> bool {
        if self.0.form.get().is_some_and(|it| Arc::ptr_eq(it, signature)) {
            return true;
        }
        let holds = check(&self.0.inner);
        if holds {
            // If the form of another registry is cached, it is checked each time.
            let _ = self.0.form.set(Arc::clone(signature));
        }
        holds
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.inner
    }
}

/// Copies the `T` first if it has other owners.
impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        let known = Arc::make_mut(&mut self.0);
        known.size.take();
        known.form.take();
        &mut known.inner
    }
}

/// A copy is about to be changed: nothing is known of it.
impl<T: Clone> Clone for Known<T> {
    fn clone(&self) -> Self {
        self.inner.clone().into()
    }
}

impl<T> From<T> for Known<T> {
    fn from(inner: T) -> Self {
        Self { inner, size: OnceLock::new(), form: OnceLock::new() }
    }
}

impl<T> From<T> for Shared<T> {
    fn from(inner: T) -> Self {
        Self(Arc::new(inner.into()))
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").field(&**self).finish()
    }
}

impl<T: FromIterator<Item>, Item> FromIterator<Item> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = Item>>(items: I) -> Self {
        T::from_iter(items).into()
    }
}

/// Copies the items only if they have other owners.
impl<T: Clone + IntoIterator> IntoIterator for Shared<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;

    fn into_iter(self) -> T::IntoIter {
        Arc::unwrap_or_clone(self.0).inner.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Shared<T>
where
    &'a T: IntoIterator,
{
    type Item = <&'a T as IntoIterator>::Item;
    type IntoIter = <&'a T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&**self).into_iter()
    }
}
