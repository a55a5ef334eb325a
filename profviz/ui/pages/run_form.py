"""The form of a run: what discovery found, what the user overrides, and the `RunRequest` made from both."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from profviz.model.run import Device, Environment, RunRequest, Workload
from profviz.model.units import format_bytes, format_count
from profviz.ui.pages.run_variants import VariantList
from profviz.ui.widgets.shell_labels import label, panel

MODES: tuple[tuple[str, bool | None], ...] = (("As found", None), ("Train", True), ("Inference", False))


def device_choices(devices: tuple[Device, ...]) -> list[tuple[str, str]]:
    """(id for the request, text) of what can be chosen; `auto` first."""
    choices = [("auto", "Automatic")]
    for device in devices:
        id_ = device.kind if device.kind == "cpu" else f"{device.kind}:{device.index}"
        memory = f", {format_bytes(device.memory_bytes)}" if device.memory_bytes else ""
        choices.append((id_, f"{device.name or device.kind} ({id_}{memory})"))
    return choices


class RunForm(QWidget):
    """`discovery_changed` asks for a new inspection; `interpreter_changed` for a new probe as well."""

    discovery_changed = Signal()
    interpreter_changed = Signal()
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._script = ""
        self._workload: Workload | None = None
        self._defaults = RunRequest(script="")
        self._make_fields()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for frame in (self._workload_panel(), self._variants_panel(), self._measure_panel(), self._python_panel()):
            column.addWidget(frame)
        column.addStretch(1)
        self._connect()

    def show_script(self, script: str, *, interpreter: str) -> None:
        """Starts anew for another script."""
        self._script = script
        self._workload = None
        for line in (self.model.lineEdit(), self.inputs):
            with QSignalBlocker(line):
                line.clear()
        self._settled_text = ("", "", 0)
        self.interpreter.setText(interpreter)
        self._fill_found([("Looking at the script…", "muted")])
        self._fill_inputs(())
        self.changed.emit()

    def show_environment(self, environment: Environment) -> None:
        chosen = self.device.currentData()
        with QSignalBlocker(self.device):
            self.device.clear()
            for id_, text in device_choices(environment.devices):
                self.device.addItem(text, id_)
            self.device.setCurrentIndex(max(0, self.device.findData(chosen)))
        self.variants.show_variants(environment.variants)
        parts = [f"Python {environment.python.split()[0]}" if environment.python else ""]
        parts.append(f"torch {environment.torch}" if environment.torch else "no torch")
        parts += [f"triton {environment.triton}"] if environment.triton else []
        parts += [f"CUDA {environment.cuda}"] if environment.cuda else []
        parts += [] if environment.compiler else ["no C++ compiler"]
        self.environment.setText(" · ".join(part for part in parts if part))

    def show_workload(self, workload: Workload) -> None:
        self._workload = workload
        lines = [(text, "") for text in workload.found] + [(text, "muted") for text in workload.missing]
        if workload.model_class:
            size = f", {format_count(workload.parameters)} parameters" if workload.parameters else ""
            lines.insert(0, (f"{workload.model or 'model'}: {workload.model_class}{size}", "title"))
        if workload.needs_shapes:
            lines.append(("Give the shapes of the inputs below, then press Run.", "accent"))
            if not self.inputs.text():
                self.inputs.setFocus()
        if workload.problem:
            lines.append((workload.problem, "bad"))
        self._fill_found(lines)
        self._fill_inputs(tuple((input_name(i.name), shape_text(i.shape), i.dtype, i.device) for i in workload.inputs))
        self._offer_candidates(workload.candidates)
        found = "train" if workload.train else "inference"
        self.mode.setItemText(0, f"As found ({found})")
        self.mode.model().item(1).setEnabled(workload.can_train or workload.train)
        self.changed.emit()

    @property
    def blocked(self) -> str:
        """Why a run cannot start, in plain words; empty when it can."""
        if not self._script:
            return "No script is open."
        if self._workload is None:
            return "The script is still being looked at."
        if self._workload.needs_shapes and not self.inputs.text().strip():
            return "The inputs' shapes are missing."
        return "" if self._workload.needs_shapes else self._workload.problem

    def request(self) -> RunRequest:
        return RunRequest(
            script=self._script,
            variants=self.variants.chosen(),
            options=self.variants.options(),
            device=self.device.currentData() or "auto",
            steps=self.steps.value(),
            rounds=self.rounds.value(),
            profile_steps=self.profile_steps.value(),
            train=MODES[self.mode.currentIndex()][1],
            model=self.model.currentText().strip(),
            inputs=self.inputs.text().strip(),
            keep_cache=self.keep_cache.isChecked(),
            with_stack=self.with_stack.isChecked(),
        )

    def _make_fields(self) -> None:
        self.model = QComboBox(editable=True)
        self.model.lineEdit().setPlaceholderText("as found")
        self.inputs = QLineEdit(placeholderText="as found; else shapes: 64x1024, 64:int64")
        self.mode = QComboBox()
        self.mode.addItems([text for text, _ in MODES])
        self.device = QComboBox()
        self.device.addItem("Automatic", "auto")
        self.variants = VariantList()
        self.steps = self._spin(self._defaults.steps, 1, 10_000)
        self.rounds = self._spin(self._defaults.rounds, 1, 1_000)
        self.profile_steps = self._spin(self._defaults.profile_steps, 1, 100)
        self.keep_cache = QCheckBox("Keep torch's compile cache")
        self.keep_cache.setToolTip("Off: a fresh cache, so that the compile cost shown is the cold one")
        self.with_stack = QCheckBox("Record Python stacks")
        self.with_stack.setToolTip("Slower profiling and larger traces")
        self.interpreter = QLineEdit(placeholderText="the Python that runs profviz")
        self.interpreter.setAccessibleName("Interpreter")
        self.environment = label(role="muted", wrap=True)

    @staticmethod
    def _spin(value: int, lowest: int, highest: int) -> QSpinBox:
        spin = QSpinBox()
        spin.setRange(lowest, highest)
        spin.setValue(value)
        return spin

    def _workload_panel(self) -> QFrame:
        frame, column = panel(title="Workload")
        self._found = QVBoxLayout()
        self._found.setSpacing(4)
        self._inputs = QGridLayout()
        self._inputs.setHorizontalSpacing(16)
        self._inputs.setColumnStretch(3, 1)
        column.addLayout(self._found)
        column.addLayout(self._inputs)
        fields = (("Model", self.model), ("Inputs", self.inputs), ("Mode", self.mode), ("Device", self.device))
        column.addLayout(form_of(fields))
        return frame

    def _variants_panel(self) -> QFrame:
        frame, column = panel(title="Variants")
        column.addWidget(self.variants)
        return frame

    def _measure_panel(self) -> QFrame:
        frame, column = panel(title="Measurement")
        fields = (
            ("Steps", self.steps),
            ("Alternating rounds", self.rounds),
            ("Steps under the profiler", self.profile_steps),
        )
        column.addLayout(form_of(fields))
        column.addWidget(self.keep_cache)
        column.addWidget(self.with_stack)
        return frame

    def _python_panel(self) -> QFrame:
        frame, column = panel(title="Interpreter")
        browse = QPushButton("Choose…")
        browse.clicked.connect(self._choose_interpreter)
        row = QHBoxLayout()
        row.addWidget(self.interpreter, 1)
        row.addWidget(browse)
        column.addLayout(row)
        column.addWidget(self.environment)
        return frame

    def _connect(self) -> None:
        self._settled_text: tuple[str, str, int] = ("", "", 0)
        self.model.lineEdit().editingFinished.connect(self._discovery_edited)
        self.model.activated.connect(self._discovery_edited)
        self.inputs.editingFinished.connect(self._discovery_edited)
        self.inputs.textChanged.connect(self.changed)
        self.mode.activated.connect(self._discovery_edited)
        self.interpreter.editingFinished.connect(self.interpreter_changed)
        self.variants.changed.connect(self.changed)

    def _discovery_edited(self) -> None:
        text = (self.model.currentText().strip(), self.inputs.text().strip(), self.mode.currentIndex())
        if text != self._settled_text and self._script:
            self._settled_text = text
            self.discovery_changed.emit()

    def _choose_interpreter(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Choose a Python interpreter", self.interpreter.text())
        if path:
            self.interpreter.setText(path)
            self.interpreter_changed.emit()

    def _offer_candidates(self, candidates: tuple[str, ...]) -> None:
        text = self.model.currentText()
        with QSignalBlocker(self.model):
            self.model.clear()
            self.model.addItems(candidates)
            self.model.setCurrentText(text)

    def _fill_found(self, lines: list[tuple[str, str]]) -> None:
        clear_layout(self._found)
        for text, role in lines:
            line = label(text, role=role, wrap=True)
            if role == "bad":
                line.setProperty("tone", "bad")
            self._found.addWidget(line)

    def _fill_inputs(self, rows: tuple[tuple[str, ...], ...]) -> None:
        clear_layout(self._inputs)
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                self._inputs.addWidget(label(text, role="muted" if column else ""), row, column)


def input_name(name: str) -> str:
    """Inputs passed by position are named by it."""
    return f"input {name}" if name.isdigit() else name


def shape_text(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) if shape else "scalar"


def form_of(fields: tuple[tuple[str, QWidget], ...]) -> QFormLayout:
    form = QFormLayout()
    form.setVerticalSpacing(8)
    form.setHorizontalSpacing(16)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for title, field in fields:
        field.setAccessibleName(title)
        form.addRow(label(title, role="muted"), field)
    return form


def clear_layout(layout: QVBoxLayout | QGridLayout) -> None:
    while layout.count():
        widget = layout.takeAt(0).widget()
        if widget is not None:
            widget.deleteLater()
