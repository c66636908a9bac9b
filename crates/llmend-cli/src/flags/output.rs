//! What is written to standard output and to standard error.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::presentation::{Output, ReportFormat};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Show the input on standard error with each change marked in place
    #[arg(long)]
    explain: bool,
    /// Write a report to standard output instead of the value, whatever the exit status
    #[arg(long, value_parser = report_format(), value_name = "FORMAT")]
    report: Option<ReportFormat>,
    /// Indent the JSON, or the report with `--report`
    #[arg(long)]
    pretty: bool,
    /// Do not print the summary
    #[arg(long, short)]
    quiet: bool,
}

impl OutputFlags {
    /// Returns the options.
    pub(crate) fn output(&self) -> Output {
        let Self { explain, report, pretty, quiet } = *self;
        Output { explain, report, pretty, quiet }
    }
}

/// Output flags of a subcommand that writes no JSON value.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReportFlags {
    /// Write a report to standard output, whatever the exit status
    #[arg(long, value_parser = report_format(), value_name = "FORMAT")]
    report: Option<ReportFormat>,
    /// Indent the report
    #[arg(long, requires = "report")]
    pretty: bool,
    /// Do not print the summary
    #[arg(long, short)]
    quiet: bool,
}

impl ReportFlags {
    /// Returns the options.
    pub(crate) fn output(&self, explain: bool) -> Output {
        let Self { report, pretty, quiet } = *self;
        Output { explain, report, pretty, quiet }
    }
}

fn report_format() -> impl TypedValueParser<Value = ReportFormat> {
    let json = PossibleValue::new("json").help("A JSON object");
    PossibleValuesParser::new([json]).map(|_| ReportFormat::Json)
}
