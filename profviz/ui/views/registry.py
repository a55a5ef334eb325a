"""The views in the order the results page offers them; one entry here and a folder beside it adds a view."""

from __future__ import annotations

from profviz.ui.views.artifacts.view import SPEC as ARTIFACTS
from profviz.ui.views.breakdown.view import SPEC as BREAKDOWN
from profviz.ui.views.breaks.view import SPEC as BREAKS
from profviz.ui.views.compile.view import SPEC as COMPILE
from profviz.ui.views.details.view import SPEC as DETAILS
from profviz.ui.views.findings.view import SPEC as FINDINGS
from profviz.ui.views.graphs.view import SPEC as GRAPHS
from profviz.ui.views.health.view import SPEC as HEALTH
from profviz.ui.views.histograms.view import SPEC as HISTOGRAMS
from profviz.ui.views.over_time.view import SPEC as OVER_TIME
from profviz.ui.views.ranges.view import SPEC as RANGES
from profviz.ui.views.recompiles.view import SPEC as RECOMPILES
from profviz.ui.views.source.view import SPEC as SOURCE
from profviz.ui.views.spec import ViewSpec
from profviz.ui.views.steps.view import SPEC as STEPS
from profviz.ui.views.tables.view import SPEC as TABLES
from profviz.ui.views.tape.view import SPEC as TAPE
from profviz.ui.views.timeline.view import SPEC as TIMELINE

VIEWS: tuple[ViewSpec, ...] = (
    FINDINGS,
    TIMELINE,
    GRAPHS,
    DETAILS,
    SOURCE,
    TABLES,
    STEPS,
    BREAKDOWN,
    OVER_TIME,
    RANGES,
    HISTOGRAMS,
    BREAKS,
    RECOMPILES,
    COMPILE,
    ARTIFACTS,
    TAPE,
    HEALTH,
)
