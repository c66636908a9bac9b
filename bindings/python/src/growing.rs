//! Lists and dicts that grow, each state of which is shown for a constant price.
//!
//! A shown container is never changed while somebody else holds it. Two containers take turns: a caller who only
//! holds the latest pays for new parts alone, and one who keeps all states pays for a copy of each.

use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};

/// A container that grows.
#[pyclass(module = "llmend._llmend")]
pub(crate) struct Growing {
    is_dict: bool,
    /// The complete parts, with keys in a dict.
    parts: Vec<(Option<Py<PyAny>>, Py<PyAny>)>,
    lent: [Option<Lent>; 2],
    /// The container that is prepared to be shown.
    turn: usize,
}

/// A container that was shown.
struct Lent {
    container: Container,
    /// Number of parts that were added to it.
    filled: usize,
    /// Its length, as it was shown.
    length: usize,
    tail: LentTail,
}

/// The incomplete part at the end of a container.
enum LentTail {
    None,
    /// Of a list, or of a dict under this key.
    Added(Option<Py<PyAny>>),
    /// In the place of a complete part.
    Replaced,
}

enum Container {
    List(Py<PyList>),
    Dict(Py<PyDict>),
}

impl Container {
    fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        match self {
            Self::List(list) => list.bind(py).as_any(),
            Self::Dict(dict) => dict.bind(py).as_any(),
        }
    }

    fn add(&self, py: Python<'_>, part: &(Option<Py<PyAny>>, Py<PyAny>)) -> PyResult<()> {
        match (self, part) {
            (Self::List(list), (_, item)) => list.bind(py).append(item),
            (Self::Dict(dict), (Some(key), value)) => dict.bind(py).set_item(key, value),
            (Self::Dict(_), (None, _)) => Ok(()),
        }
    }
}

#[pymethods]
impl Growing {
    #[new]
    pub(crate) fn new(is_dict: bool) -> Self {
        Self { is_dict, parts: Vec::new(), lent: [None, None], turn: 0 }
    }

    /// Adds a complete part.
    #[pyo3(signature = (value, key = None))]
    pub(crate) fn add(&mut self, value: Py<PyAny>, key: Option<Py<PyAny>>) {
        self.parts.push((key, value));
    }

    /// Prepares what is shown next, before anything inside: what nobody else holds loses its incomplete part,
    /// so that nobody holds that either.
    pub(crate) fn begin(&mut self, py: Python<'_>) -> PyResult<()> {
        for (at, lent) in self.lent.iter_mut().enumerate() {
            if let Some(lent) = lent
                && lent.is_free(py)
            {
                self.turn = at;
                return lent.drop_tail(py);
            }
        }
        self.turn = 1 - self.turn;
        let container = self.container(py)?;
        if let Some(place) = self.lent.get_mut(self.turn) {
            let filled = self.parts.len();
            *place = Some(Lent { container, filled, length: 0, tail: LentTail::None });
        }
        Ok(())
    }

    /// Returns the complete parts and the incomplete one, if there is one.
    #[pyo3(signature = (tail = None, key = None))]
    pub(crate) fn shown<'py>(
        &mut self,
        py: Python<'py>,
        tail: Option<Bound<'py, PyAny>>,
        key: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(Some(lent)) = self.lent.get_mut(self.turn) else { return self.complete(py) };
        for part in self.parts.get(lent.filled..).unwrap_or_default() {
            lent.container.add(py, part)?;
        }
        lent.filled = self.parts.len();
        if let Some(tail) = tail {
            lent.show_tail(py, tail, key)?;
        }
        let container = lent.container.bind(py);
        lent.length = container.len()?;
        Ok(container.clone())
    }

    /// Returns a container of the complete parts, which is the caller's.
    pub(crate) fn complete<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.container(py)?.bind(py).clone())
    }
}

impl Growing {
    pub(crate) fn is_dict(&self) -> bool {
        self.is_dict
    }

    /// Returns the number of parts.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns the complete parts, with keys in a dict.
    pub(crate) fn parts(&self) -> &[(Option<Py<PyAny>>, Py<PyAny>)] {
        &self.parts
    }

    fn container(&self, py: Python<'_>) -> PyResult<Container> {
        if !self.is_dict {
            let items = self.parts.iter().map(|(_, item)| item);
            return Ok(Container::List(PyList::new(py, items)?.unbind()));
        }
        let dict = Container::Dict(PyDict::new(py).unbind());
        self.parts.iter().try_for_each(|part| dict.add(py, part))?;
        Ok(dict)
    }
}

impl Lent {
    /// Returns whether nobody else holds the container, which is as it was shown.
    fn is_free(&self, py: Python<'_>) -> bool {
        let container = self.container.bind(py);
        #[expect(deprecated, reason = "what it is deprecated for is unsafe")]
        let holders = container.get_refcnt();
        holders == 1
            && !matches!(self.tail, LentTail::Replaced)
            && container.len().is_ok_and(|length| length == self.length)
    }

    fn drop_tail(&mut self, py: Python<'_>) -> PyResult<()> {
        match (std::mem::replace(&mut self.tail, LentTail::None), &self.container) {
            (LentTail::Added(_), Container::List(list)) => {
                list.bind(py).del_item(self.length.saturating_sub(1))
            }
            (LentTail::Added(Some(key)), Container::Dict(dict)) => dict.bind(py).del_item(key),
            _ => Ok(()),
        }
    }

    fn show_tail<'py>(
        &mut self,
        py: Python<'py>,
        tail: Bound<'py, PyAny>,
        key: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        match (&self.container, &key) {
            (Container::List(list), _) => list.bind(py).append(tail)?,
            (Container::Dict(dict), Some(key)) => {
                let dict = dict.bind(py);
                let is_known = dict.contains(key)?;
                dict.set_item(key, tail)?;
                if is_known {
                    self.tail = LentTail::Replaced;
                    return Ok(());
                }
            }
            (Container::Dict(_), None) => return Ok(()),
        }
        self.tail = LentTail::Added(key.map(Bound::unbind));
        Ok(())
    }
}
