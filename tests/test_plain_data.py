"""Reports as plain data: their names are an interface, and a table shows none of Python's own words."""

import json
import re
from html import unescape

import pytest

import zerostride as zs
from test_language import REPORTS

BILL = (
    "shape dtype source_shape steps way library learns code source_bytes logical_bytes made_bytes "
    "temporaries_bytes output_bytes saved_bytes saved_logical_bytes gradient_bytes operand_bytes "
    "backward_temporaries_bytes forward_peak_bytes new_peak_bytes peak_bytes reused saved"
)
NAMES = {
    "Layout": "shape dtype library itemsize strides_bytes strides_elements storage_offset_bytes "
    "storage_bytes owner logical_bytes touched_bytes touched_bytes_between most_aliases "
    "shared_axes overlaps contiguous formula notes",
    "Comparison": "same_storage same_start common_bytes exact common_bytes_between relation",
    "Storages": "storages total_bytes skipped perhaps_one_file",
    "Writability": "outcome because also_changes",
    "Differences": "values step of dtype rounding notes",
    "GradientComparison": "sum",
    "Uses": "source_shape result_shape counts places weights sums notes",
    "Bytes": "logical_bytes touched_bytes storage_bytes storages",
    "Budget": BILL,
    "Measured": "library device instrument input_bytes forward_peak_bytes forward_allocated_bytes kept_bytes "
    "backward_peak_bytes backward_allocated_bytes gradient_bytes new_peak_bytes small_bytes uncounted_bytes "
    "elsewhere_bytes",
    "SavedForBackward": "tensors logical_bytes stored_bytes new_stored_bytes unseen",
    "Savings": "np.save pickle deepcopy",
    "Timings": "library device threads backward forward_only shapes programs",
    "WriteAnswer": "statement outcome error warning then volatile instead reason also_changes left_out notes",
    "Atlas": "origins rows",
    "Advice": "answer because source_shape target_shape pattern writes learns then library dtype code "
    "reasons checks checked_shapes cost cost_otherwise open_questions measuring",
    "Brief": "answer reasons",
    "Requirements": "writes learns then answers",
    "Result": "number claim suite status evidence",
    "RunReport": "rows cols dtype passed counts results",
}
INNER = {
    ("Storages", "storages"): "names storage_bytes reads",
    ("GradientComparison", "sum"): "analytic autograd differences gradcheck error tolerance "
    "largest_difference verdict",
    ("SavedForBackward", "tensors"): "node attribute shape logical_bytes storage_bytes storage inputs",
    ("Savings", "np.save"): "written_bytes strides_bytes storage_bytes pair_shares",
    ("Atlas", "origins"): "numpy torch",
    ("Atlas", "rows"): "library family operation target outcome error warning then volatile instead reason "
    "kind reproducer",
    ("Advice", "code"): "numpy torch",
    ("Advice", "checks"): "name status evidence claim lesson",
    ("Advice", "cost"): BILL,
    ("RunReport", "counts"): "passed failed not_run not_applicable",
    ("RunReport", "results"): "number claim suite status evidence",
}
OF_PYTHON = re.compile(r"\b(?:None|nan)\b|<function")


@pytest.mark.parametrize("name", NAMES)
def test_plain_data_has_the_names_that_were_promised(name):
    report = REPORTS[name]()
    data = report.to_dict()
    assert list(data) == NAMES[name].split()
    for each, value in data.items():
        if isinstance(getattr(report, each, None), int | str | float):
            assert value == getattr(report, each)
        if (name, each) in INNER:
            inner = value if isinstance(value, dict) else value[0]
            assert list(inner) == INNER[name, each].split()
    assert json.loads(json.dumps(data, default=str))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_table_shows_no_word_of_python_and_no_empty_head(name, language):
    zs.use(language)
    report = REPORTS[name]()
    table = report.table()
    assert not OF_PYTHON.findall(str(report) + unescape(report._repr_html_()))
    assert all(map(str.strip, table.header))
    assert {len(row) for row in table.rows} <= {len(table.header) or len(table.rows[0])}
