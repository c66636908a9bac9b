//! The value of a stream as Python objects, each part of which is made once.

use llmend::{
    Node,
    json::{State, Token, View},
};
use pyo3::{
    prelude::*,
    types::{PyList, PyString, PyTuple},
};

use crate::{
    growing::Growing,
    keys::{Keys, with_keys},
    object::to_python,
};

/// The value so far.
#[derive(Default)]
pub(crate) struct Mirror {
    /// Index of the root; `None` if there is none yet.
    root: Option<usize>,
    /// Index of the first part that was not read.
    next: usize,
    open: Vec<Frame>,
    /// The whole value, once it is complete.
    whole: Option<Py<PyAny>>,
    /// The incomplete string, and its key in a dict.
    tail: Option<(Option<Py<PyAny>>, Py<PyAny>)>,
    /// Steps since they were last asked for, once they were.
    steps: Option<Vec<Step>>,
}

/// An open container.
struct Frame {
    index: usize,
    /// Its key, if it is in a dict.
    key: Option<Py<PyAny>>,
    parts: Growing,
}

/// A change of the value.
enum Step {
    /// Everything before is void.
    Reset,
    /// A container begins; whether it is a dict.
    Opened(Option<Py<PyAny>>, bool),
    /// The innermost container is complete.
    Closed(Py<PyAny>),
    /// A part is complete of which nothing was told.
    Value(Option<Py<PyAny>>, Py<PyAny>),
}

impl Mirror {
    /// Reads what is new in `view`.
    pub(crate) fn read(&mut self, py: Python<'_>, view: &View<'_>) -> PyResult<()> {
        self.tail = None;
        let Some(root) = view.root() else { return Ok(()) };
        if self.root != Some(root.index()) || root.value().parts() < self.next {
            self.reset(root.index());
        }
        with_keys(py, 0, |keys| Reader { py, view, keys, mirror: self }.read(root))
    }

    fn reset(&mut self, root: usize) {
        let steps = self.steps.as_ref().map(|_| vec![Step::Reset]);
        *self = Self { root: Some(root), next: root, steps, ..Self::default() };
    }

    /// Returns the value so far; `None` if there is none.
    pub(crate) fn value<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.whole {
            Some(whole) => Ok(Some(whole.bind(py).clone())),
            None => self.part(py, 0),
        }
    }

    /// Returns what has arrived of the open container at this depth, or of the string that is the whole value.
    pub(crate) fn part<'py>(
        &mut self,
        py: Python<'py>,
        depth: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = self.open.get_mut(depth..).unwrap_or_default();
        for frame in open.iter_mut() {
            frame.parts.begin(py)?;
        }
        let tail = self.tail.as_ref();
        let tail = tail.map(|(key, text)| (key.as_ref().map(|key| key.bind(py).clone()), text));
        let (mut key, mut shown) = tail.map(|(key, text)| (key, text.bind(py).clone())).unzip();
        for frame in open.iter_mut().rev() {
            shown = Some(frame.parts.shown(py, shown.take(), key.flatten())?);
            key = Some(frame.key.as_ref().map(|key| key.bind(py).clone()));
        }
        Ok(shown)
    }

    /// Returns the keys and indexes of the incomplete string in the open container at this depth.
    pub(crate) fn tail_path<'py>(
        &self,
        py: Python<'py>,
        depth: usize,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some((last, _)) = &self.tail else { return Ok(None) };
        let open = self.open.get(depth..).unwrap_or_default();
        let keys = open.iter().skip(1).map(|frame| &frame.key).chain([last]);
        let path = PyList::empty(py);
        for (frame, key) in open.iter().zip(keys) {
            match key {
                Some(key) => path.append(key)?,
                None => path.append(frame.parts.len())?,
            }
        }
        Ok(Some(path))
    }

    /// Returns the incomplete string and its key in a dict.
    pub(crate) fn tail<'py>(
        &self,
        py: Python<'py>,
    ) -> Option<(Option<Bound<'py, PyAny>>, Bound<'py, PyAny>)> {
        let (key, text) = self.tail.as_ref()?;
        Some((key.as_ref().map(|key| key.bind(py).clone()), text.bind(py).clone()))
    }

    /// Returns the steps since the last call, as tuples; at first those that lead to the value so far.
    pub(crate) fn steps<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let steps = match &mut self.steps {
            Some(steps) => std::mem::take(steps),
            None => self.all_steps(py),
        };
        self.steps = Some(Vec::new());
        steps.into_iter().map(|step| step.tuple(py)).collect()
    }

    fn all_steps(&self, py: Python<'_>) -> Vec<Step> {
        let of = |key: &Option<Py<PyAny>>| key.as_ref().map(|key| key.clone_ref(py));
        let mut steps = Vec::new();
        for frame in &self.open {
            steps.push(Step::Opened(of(&frame.key), frame.parts.is_dict()));
            let parts = frame.parts.parts().iter();
            steps.extend(parts.map(|(key, value)| Step::Value(of(key), value.clone_ref(py))));
        }
        steps.extend(self.whole.iter().map(|whole| Step::Value(None, whole.clone_ref(py))));
        steps
    }
}

impl Step {
    fn tuple(self, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        match self {
            Self::Reset => ("reset", py.None(), py.None()).into_pyobject(py),
            Self::Opened(key, is_dict) => ("opened", key, is_dict).into_pyobject(py),
            Self::Closed(value) => ("closed", py.None(), value).into_pyobject(py),
            Self::Value(key, value) => ("value", key, value).into_pyobject(py),
        }
    }
}

/// Reads what is new in a view.
struct Reader<'py, 'v, 'm> {
    py: Python<'py>,
    view: &'v View<'v>,
    keys: &'m mut Keys,
    mirror: &'m mut Mirror,
}

impl<'v> Reader<'_, 'v, '_> {
    fn read(&mut self, root: Node<'v>) -> PyResult<()> {
        let value = root.value();
        loop {
            self.close(root)?;
            let in_dict = self.mirror.open.last().is_some_and(|frame| frame.parts.is_dict());
            let at = self.mirror.next;
            let Some(node) = value.node(at + usize::from(in_dict)) else { return Ok(()) };
            if self.mirror.whole.is_some() {
                return Ok(());
            }
            let key = if in_dict { value.node(at).map(|key| self.key(key)) } else { None };
            self.part(node, key)?;
            if self.mirror.tail.is_some() {
                return Ok(());
            }
        }
    }

    fn key(&mut self, key: Node<'_>) -> Py<PyAny> {
        let text = if let Token::String(text) = key.token() { text } else { "" };
        self.keys.object(self.py, text).into_any().unbind()
    }

    /// Reads a part, which may be incomplete.
    fn part(&mut self, node: Node<'v>, key: Option<Py<PyAny>>) -> PyResult<()> {
        let (py, is_complete) = (self.py, self.view.state(node) == State::Complete);
        let next = node.index() + 1;
        let (end, is_dict) = match node.token() {
            Token::Object { end } => (end, true),
            Token::Array { end } => (end, false),
            Token::String(text) if !is_complete => {
                let text = PyString::new(py, text).into_any().unbind();
                self.mirror.tail = Some((key, text));
                return Ok(());
            }
            _ => (next, false),
        };
        if is_complete {
            let value = to_python(py, node)?.unbind();
            if let Some(steps) = &mut self.mirror.steps {
                let key = key.as_ref().map(|key| key.clone_ref(py));
                steps.push(Step::Value(key, value.clone_ref(py)));
            }
            self.add(key, value);
            self.mirror.next = end;
            return Ok(());
        }
        if let Some(steps) = &mut self.mirror.steps {
            steps.push(Step::Opened(key.as_ref().map(|key| key.clone_ref(py)), is_dict));
        }
        self.mirror.open.push(Frame { index: node.index(), key, parts: Growing::new(is_dict) });
        self.mirror.next = next;
        Ok(())
    }

    fn add(&mut self, key: Option<Py<PyAny>>, value: Py<PyAny>) {
        match self.mirror.open.last_mut() {
            Some(frame) => frame.parts.add(value, key),
            None => self.mirror.whole = Some(value),
        }
    }

    /// Closes the containers that are complete and were read to their end.
    fn close(&mut self, root: Node<'v>) -> PyResult<()> {
        while let Some(frame) = self.mirror.open.last() {
            let Some(node) = root.value().node(frame.index) else { return Ok(()) };
            let (Token::Object { end } | Token::Array { end }) = node.token() else {
                return Ok(());
            };
            if end > self.mirror.next || self.view.state(node) != State::Complete {
                return Ok(());
            }
            let value = frame.parts.complete(self.py)?.unbind();
            let Some(Frame { key, .. }) = self.mirror.open.pop() else { return Ok(()) };
            if let Some(steps) = &mut self.mirror.steps {
                steps.push(Step::Closed(value.clone_ref(self.py)));
            }
            self.add(key, value);
        }
        Ok(())
    }
}
