//! Text for long strings in documents.

use crate::random::Random;

/// Sentences without characters that JSON escapes.
const PLAIN: &[&str] = &[
    "The request was checked against the current policy and no conflict was found.",
    "Shipping takes two to four working days, and the customer has already been told.",
    "If the lookup returns nothing, ask for the order number; do not guess it.",
    "We compared three suppliers: the second is cheaper, but it can't deliver before May.",
    "Results below 0.5 are dropped, since they were wrong in most of the reviewed samples.",
    "It's worth noting that the export runs at night (around 02:30 UTC) and locks the table.",
    "Retry twice with a pause of one second, then hand the case over to a person.",
    "The café in Zürich closes at 18:00 – later visits need an appointment.",
    "First read the file, then count the rows, and finally write the summary.",
    "This step depends on the previous one; don't start it while the queue is full.",
    "Revenue grew by 12% year over year, mostly because of returning customers.",
    "See section 4.2 of the handbook for the list of allowed values [1].",
    "The user prefers short answers, metric units and no marketing language 🙂.",
    "Both accounts share one address, so they were merged under the older id.",
    "Total cost: 1,284.50 EUR, of which 204.50 EUR is tax.",
    "Temperature stays between 18 and 22 degrees; humidity isn't recorded here.",
    "Open the dashboard, choose the region, and copy the figure from the last column.",
    "The model can't be sure whether the invoice was paid, so the flag stays unset.",
    "Keys are rotated every ninety days and revoked right away when somebody leaves.",
    "Among the options are a refund, a replacement, or store credit for later use.",
];

/// Sentences with quoted phrases.
const QUOTING: &[&str] = &[
    "The customer wrote \"please hurry\" in the comment field and left a phone number.",
    "Press the button labeled \"Save draft\" before leaving the page.",
    "The column called \"net amount\" holds the figure without tax.",
    "A status of \"on hold\" means that somebody has to look at it.",
    "The box is marked \"fragile\" and must not be stacked.",
    "Search for the \"exact phrase\" first and widen the query afterwards.",
    "What they call a \"soft launch\" is in fact the second release.",
    "The so-called \"express\" option is slower on weekends.",
    "The label reads \"final\", but the date beneath it says otherwise.",
    "Their answer was \"not before June\"; we asked twice.",
    "Refunds are explained on the page (under \"Returns\") and in every receipt.",
];

/// Returns two or more sentences with at least one line break and one quoted phrase, ending in a
/// plain sentence. Every sixth is as long as several paragraphs.
pub fn long(random: &mut Random) -> String {
    let essay = random.once_in(6);
    let mut text = String::new();
    if essay {
        for _ in 0..2 + random.below(3) {
            text.push_str(random.pick(PLAIN));
            text.push(' ');
        }
    }
    text.push_str(random.pick(QUOTING));
    text.push('\n');
    if essay {
        for number in ["\n1. ", "\n2. ", "\n3. "] {
            text.push_str(number);
            text.push_str(random.pick(PLAIN));
            text.push(' ');
            text.push_str(random.pick(PLAIN));
        }
        text.push_str("\n\n");
    }
    text.push_str(random.pick(PLAIN));
    text
}

/// Returns a sentence on one line.
pub fn sentence(random: &mut Random) -> &'static str {
    random.pick(PLAIN)
}
