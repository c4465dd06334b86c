"""A large source: derivatives are compared at a few elements, and the report says at how many."""

import numpy as np
import pytest

import zerostride as zs
from zerostride.findings.sampling import MOST_SAMPLED_ELEMENTS, SAMPLE, at_places, sample

LARGE = np.linspace(1.0, 2.0, 3000).reshape(1000, 3)


def squares(x):
    return (x * x).sum()


def derivative(source, loss):
    return zs.evidence(source, {"f": loss}).uses[0]


def test_differences_at_the_chosen_elements_are_those_of_the_whole():
    use = derivative(LARGE, squares)
    assert len(set(use.sampled)) == SAMPLE
    assert np.allclose(use.gradient.differences.values, 2 * LARGE.ravel()[list(use.sampled)])
    assert not np.allclose(use.gradient.differences.values, 2 * LARGE.ravel()[:SAMPLE])


def test_the_seed_is_fixed_and_small_sources_are_compared_whole():
    assert sample(LARGE) == sample(LARGE.copy()) == derivative(LARGE, squares).sampled
    small = np.ones((4, 3))
    assert sample(small) == derivative(small, squares).sampled == ()


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Compared at 16 of 3,000"), ("zh", "3,000个元素中的16个")]
)
def test_the_report_says_how_many_were_compared(language, words):
    zs.use(language)
    report = zs.evidence(LARGE, {"f": squares})
    assert words in str(report)
    assert words in report._repr_html_()
    assert len(report.to_dict()["programs"]["f"]["sampled"]) == 16
    assert words not in str(zs.evidence(LARGE[:9], {"f": squares}))


def test_where_even_a_sample_is_too_much_none_is_taken_and_that_is_said():
    huge = np.broadcast_to(np.ones(1), (MOST_SAMPLED_ELEMENTS + 1,))
    report = zs.evidence(huge, {"f": np.sum})
    assert report.gradients is None
    assert f"{MOST_SAMPLED_ELEMENTS + 1:,}" in str(report)
    assert "Compared at" not in str(report)


def test_all_other_elements_stay_as_they_are():
    program, few = at_places(np.copy, LARGE, (0, 2999))
    moved = program(few + 1)
    assert moved[0, 0] == LARGE[0, 0] + 1
    assert np.array_equal(moved.ravel()[1:-1], LARGE.ravel()[1:-1])
    assert moved.shape == LARGE.shape


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_autograd_and_differences_agree_on_the_sample(torch, dtype):
    source = torch.tensor(LARGE, dtype=getattr(torch, dtype))
    use = derivative(source, lambda x: (x.expand(4, 1000, 3) * 0.5).sum())
    assert use.gradient.verdict == "agree"
    assert np.allclose(use.gradient.autograd, 2)


def test_a_wrong_derivative_is_found_on_the_sample(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 3 * g

    use = derivative(torch.tensor(LARGE), lambda x: Wrong.apply(x).sum())
    assert use.gradient.verdict == "differ"


def test_a_path_that_is_cut_is_found_on_the_sample(torch):
    report = zs.evidence(torch.tensor(LARGE), {"f": lambda x: x.detach().sum(), "g": lambda x: x.sum()})
    assert report.gradients.verdicts == {"f": "cut", "g": "agree"}


def test_what_a_leaf_refuses_is_refused_of_a_large_one_too(torch):
    def doubled(x):
        return x.mul_(2).sum()

    for rows in (3, 1000):
        report = zs.evidence(torch.ones(rows, 3), {"f": doubled})
        assert "leaf_written" in {problem.name for problem in report.problems}
        assert report.gradients is None or report.gradients.verdicts["f"] == "refused"
