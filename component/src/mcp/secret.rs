//! Unguessable strings, and their comparison in constant time.

/// Returns 256 random bits from the operating system, as hexadecimal digits.
pub(crate) fn secret() -> String {
    random::<32>()
}

/// Returns 128 random bits as hexadecimal digits: enough to be unique.
pub(crate) fn identifier() -> String {
    random::<16>()
}

fn random<const N: usize>() -> String {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("every supported system has a source of randomness");
    hex::encode(bytes)
}

/// Returns whether both are equal, in time that depends only on their lengths.
pub(crate) fn is_same(given: &str, expected: &str) -> bool {
    let difference = given.bytes().zip(expected.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
    given.len() == expected.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_compare() {
        let (a, b) = (secret(), secret());
        assert_eq!(a.len(), 64);
        assert!(is_same(&a, &a.clone()));
        assert!(!is_same(&a, &b));
        assert!(!is_same("", &a));
        assert!(!is_same(&a[..63], &a));
    }
}
