//! Other unambiguous forms of dates.

use crate::data::Data;
use crate::random::Random;
use crate::schema::model::{Form, Text, Type};
use crate::schema::work::{Change, Kind, Spot};

pub(super) const KINDS: &[Kind] =
    &[Kind::new("date-in-words", in_words), Kind::new("date-with-slashes", with_slashes)];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn date<'s>(spot: &'s Spot<'_>) -> Option<&'s str> {
    match spot.of() {
        Type::Text(Text { form: Some(Form::Date), .. }) => spot.data.as_text(),
        _ => None,
    }
}

fn in_words(spot: &Spot<'_>, r: &mut Random) -> Option<Change> {
    let date = date(spot)?;
    let [year, month, day] = date.split('-').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let day = day.trim_start_matches('0');
    let made = match r.below(4) {
        0 => format!("{month} {day}, {year}"),
        1 => format!("{day} {month} {year}"),
        2 => format!("{} {day}, {year}", &month[..3]),
        _ => format!("{day} {} {year}", &month[..3]),
    };
    Some(Change::Value(Data::Text(made)))
}

fn with_slashes(spot: &Spot<'_>, _: &mut Random) -> Option<Change> {
    Some(Change::Value(Data::Text(date(spot)?.replace('-', "/"))))
}
