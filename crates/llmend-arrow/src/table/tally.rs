//! Counts of rows by outcome.

use arrow_array::{Array, StructArray, cast::AsArray};
use llmend::Class;
use serde::{Deserialize, Serialize};

/// The number of rows by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Rows that were valid JSON.
    pub unchanged: usize,
    /// Rows whose JSON was extracted without repairs.
    pub extracted: usize,
    /// Rows that were repaired.
    pub repaired: usize,
    /// Rows that were coerced to the schema.
    pub coerced: usize,
    /// Rows without a value.
    pub refused: usize,
    /// Rows that were null.
    pub nulls: usize,
    /// Rows that were cut off.
    pub truncated: usize,
    /// Rows by class, in the order of [`Class::ALL`].
    pub classes: [usize; Class::ALL.len()],
}

impl Tally {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.unchanged += other.unchanged;
        self.extracted += other.extracted;
        self.repaired += other.repaired;
        self.coerced += other.coerced;
        self.refused += other.refused;
        self.nulls += other.nulls;
        self.truncated += other.truncated;
        for (count, more) in self.classes.iter_mut().zip(other.classes) {
            *count += more;
        }
    }

    /// Counts rows of the type [`field`](crate::field).
    pub(super) fn of(rows: &StructArray) -> Self {
        let mut tally = Self::default();
        let column = |name| rows.column_by_name(name);
        let (Some(status), Some(class), Some(truncated)) =
            (column("status"), column("class"), column("truncated"))
        else {
            return tally;
        };
        let (status, class) = (status.as_string::<i32>(), class.as_string::<i32>());
        let truncated = truncated.as_boolean();
        for row in 0..rows.len() {
            if rows.is_null(row) {
                tally.nulls += 1;
                continue;
            }
            let count = match status.value(row) {
                "unchanged" => &mut tally.unchanged,
                "extracted" => &mut tally.extracted,
                "repaired" => &mut tally.repaired,
                "coerced" => &mut tally.coerced,
                _ => {
                    tally.refused += 1;
                    continue;
                }
            };
            *count += 1;
            tally.truncated += usize::from(truncated.value(row));
            let class = class.is_valid(row).then(|| class.value(row));
            for (count, each) in tally.classes.iter_mut().zip(Class::ALL) {
                *count += usize::from(class == Some(each.as_str()));
            }
        }
        tally
    }
}
