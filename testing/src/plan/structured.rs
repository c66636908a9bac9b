//! Workflows of structured programs.
//!
//! Blocks of statements, with loops, `If`s and `Switch`es that hold blocks, down to some depth. Every
//! edge of the workflow has its label, and nothing is to be inferred.

use llmend_plan::{
    Case, Condition, Edge, Literal, Map, Node, NodeKind, Operator, Output, ValueRef, Workflow,
};

use crate::random::Random;

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A tool is used.
    Tool,
    /// A block is repeated.
    Loop(Vec<Statement>),
    /// One of two blocks is taken; either may be empty.
    If(Vec<Statement>, Vec<Statement>),
    /// One of several blocks is taken, or the default, if there is one.
    Switch(Vec<Vec<Statement>>, Option<Vec<Statement>>),
}

/// A program of at most `most` statements.
pub fn program(random: &mut Random, most: usize) -> Vec<Statement> {
    let mut left = random.between(1, most);
    block(random, &mut left, 0)
}

/// Most blocks within blocks of a random program.
const DEEPEST: usize = 6;

fn block(random: &mut Random, left: &mut usize, depth: usize) -> Vec<Statement> {
    let statements = random.below(4);
    let least = usize::from(depth == 0);
    let mut block = Vec::new();
    for _ in 0..statements.max(least) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        block.push(statement(random, left, depth));
    }
    block
}

fn statement(random: &mut Random, left: &mut usize, depth: usize) -> Statement {
    if depth >= DEEPEST {
        return Statement::Tool;
    }
    let mut inner = |random: &mut Random| block(random, left, depth + 1);
    match random.below(10) {
        0..=3 => Statement::Tool,
        4..=6 => Statement::Loop(inner(random)),
        7 | 8 => Statement::If(inner(random), inner(random)),
        _ => {
            let cases = (0..random.between(1, 3)).map(|_| inner(random)).collect();
            let default = if random.chance(50) { Some(inner(random)) } else { None };
            Statement::Switch(cases, default)
        }
    }
}

/// `deep` loops, one within the other, around one tool.
#[must_use]
pub fn nested_loops(deep: usize) -> Workflow {
    let mut builder = Builder::default();
    let mut before = vec![];
    let mut heads = Vec::new();
    for _ in 0..deep {
        let head = builder.node(looped());
        builder.join(&before, &head);
        before = vec![(head.clone(), Some(Output::LoopBody))];
        heads.push(head);
    }
    let tool = builder.node(tool());
    builder.join(&before, &tool);
    let mut last = (tool, None);
    while let Some(head) = heads.pop() {
        let end = builder.node(NodeKind::EndLoop { loop_id: head.clone() });
        builder.join(&[last], &end);
        builder.join(&[(end, None)], &head);
        last = (head, Some(Output::LoopDone));
    }
    builder.workflow
}

/// The program as a workflow.
#[must_use]
pub fn workflow(program: &[Statement]) -> Workflow {
    let mut builder = Builder::default();
    let open = builder.block(program, vec![]);
    // A loop may be the end of the flow. A branch leads somewhere, and be it to a last step.
    if open.iter().any(|(_, output)| !matches!(output, None | Some(Output::LoopDone))) {
        let last = builder.node(tool());
        builder.join(&open, &last);
    }
    builder.workflow
}

/// Where the flow goes on: the node that it leaves, and by which of its ways out.
type Open = (String, Option<Output>);

#[derive(Default)]
struct Builder {
    workflow: Workflow,
}

impl Builder {
    fn node(&mut self, kind: NodeKind) -> String {
        let id = format!("n{}", self.workflow.nodes.len() + 1);
        self.workflow.nodes.push(Node::new(id.as_str(), kind));
        id
    }

    fn join(&mut self, from: &[Open], to: &str) {
        for (from, output) in from {
            let edge = Edge { output: output.clone(), ..Edge::new(from.as_str(), to) };
            self.workflow.edges.push(edge);
        }
    }

    /// Adds a block; gives where the flow goes on from it. Programs are not nested deeply.
    fn block(&mut self, block: &[Statement], mut open: Vec<Open>) -> Vec<Open> {
        for statement in block {
            open = self.statement(statement, &open);
        }
        open
    }

    fn statement(&mut self, statement: &Statement, before: &[Open]) -> Vec<Open> {
        match statement {
            Statement::Tool => {
                let node = self.node(tool());
                self.join(before, &node);
                vec![(node, None)]
            }
            Statement::Loop(body) => {
                let head = self.node(looped());
                self.join(before, &head);
                let open = self.block(body, vec![(head.clone(), Some(Output::LoopBody))]);
                let end = self.node(NodeKind::EndLoop { loop_id: head.clone() });
                self.join(&open, &end);
                self.join(&[(end, None)], &head);
                vec![(head, Some(Output::LoopDone))]
            }
            Statement::If(yes, no) => {
                let fork = self.node(NodeKind::If { condition: condition() });
                self.join(before, &fork);
                let mut open = self.block(yes, vec![(fork.clone(), Some(Output::IfTrue))]);
                open.extend(self.block(no, vec![(fork, Some(Output::IfFalse))]));
                open
            }
            Statement::Switch(blocks, default) => self.switch(blocks, default.as_deref(), before),
        }
    }

    fn switch(
        &mut self,
        blocks: &[Vec<Statement>],
        default: Option<&[Statement]>,
        before: &[Open],
    ) -> Vec<Open> {
        let name = |nth: usize| format!("case {nth}");
        let cases =
            (0..blocks.len()).map(|nth| Case { name: name(nth), condition: condition() }).collect();
        let fork = self.node(NodeKind::Switch { cases });
        self.join(before, &fork);
        let mut open = Vec::new();
        for (nth, block) in blocks.iter().enumerate() {
            let output = Output::SwitchCase { name: name(nth) };
            open.extend(self.block(block, vec![(fork.clone(), Some(output))]));
        }
        if let Some(block) = default {
            open.extend(self.block(block, vec![(fork, Some(Output::SwitchDefault))]));
        }
        open
    }
}

fn tool() -> NodeKind {
    NodeKind::Tool { tool: "click".to_owned(), arguments: Map::new() }
}

fn looped() -> NodeKind {
    NodeKind::Loop { exit_condition: condition(), max_iterations: 100 }
}

fn condition() -> Condition {
    let value = |value: bool| ValueRef::Literal { value: Literal::Bool(value) };
    Condition { left: value(true), operator: Operator::Equals, right: Some(value(false)) }
}
