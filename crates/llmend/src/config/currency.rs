//! Prices and sums with their currency.

use std::fmt;

use crate::asking::Price;

/// A currency as it is written beside an amount: a symbol such as `$`, or a code such as `EUR`. Empty
/// if none was named. A symbol and the code of the same currency are equal.
#[derive(Clone, Debug, Default)]
pub struct Currency(String);

/// The symbols that stand for one currency, with its code. `$` is the US dollar, in which list prices are,
/// and `¥` the yen.
const SYMBOLS: [(&str, &str); 14] = [
    ("$", "USD"),
    ("US$", "USD"),
    ("A$", "AUD"),
    ("C$", "CAD"),
    ("R$", "BRL"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("₺", "TRY"),
    ("₪", "ILS"),
    ("₴", "UAH"),
    ("zł", "PLN"),
];

/// The price of a model, with its currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceSetting {
    /// The price.
    pub price: Price,
    /// The currency.
    pub currency: Currency,
}

/// A sum of money, with its currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostSetting {
    /// The sum in millionths of the unit.
    pub sum: u64,
    /// The currency.
    pub currency: Currency,
}

/// The longest symbol, as in `US$`.
const MOST_CHARS: usize = 3;

impl Currency {
    /// Returns the US dollar, in which list prices are.
    #[must_use]
    pub fn dollar() -> Self {
        Self("$".to_owned())
    }

    /// Parses a symbol or a code. `None` if it is neither.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_symbol = |c: char| !c.is_ascii() || c == '$' || c.is_ascii_alphabetic();
        let is_fine = text.chars().count() <= MOST_CHARS && text.chars().all(is_symbol);
        let is_code = text.len() == MOST_CHARS && text.bytes().all(|b| b.is_ascii_alphabetic());
        is_fine.then(|| Self(if is_code { text.to_ascii_uppercase() } else { text.to_owned() }))
    }

    /// Returns the code of the currency, or else its symbol; empty if none was named.
    ///
    /// ```
    /// assert_eq!(llmend::config::Currency::dollar().code(), "USD");
    /// ```
    #[must_use]
    pub fn code(&self) -> &str {
        let known = SYMBOLS.iter().find(|(symbol, _)| *symbol == self.0);
        known.map_or(self.0.as_str(), |(_, code)| code)
    }

    /// Returns whether this and another currency are the same as far as they are named.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.0.is_empty() || other.0.is_empty() || self == other
    }

    /// Returns the named one of two currencies that agree.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.0.is_empty() { other } else { self }
    }

    /// Returns millionths of its unit as an amount: `$0.0012`, `0.0012 EUR` or `0.0012`.
    ///
    /// ```
    /// assert_eq!(llmend::config::Currency::dollar().amount(1_200), "$0.0012");
    /// ```
    #[must_use]
    pub fn amount(&self, millionths: u64) -> String {
        let number = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        let number = number.trim_end_matches('0').trim_end_matches('.');
        let is_code = self.0.chars().all(char::is_alphabetic);
        match self.0.as_str() {
            "" => number.to_owned(),
            code if is_code => format!("{number} {code}"),
            symbol => format!("{symbol}{number}"),
        }
    }
}

impl PartialEq for Currency {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Eq for Currency {}

/// Shows the symbol or code.
impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
