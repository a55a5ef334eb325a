"""A slider between two looks of a graph, named at its ends, that also runs from one to the other by itself."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QStyle, QWidget

STEPS = 100
RUN_MS = 400
WIDTH = 84


class MorphSlider(QWidget):
    """`moved` carries a share from 0 to 1 and whether more is to come; it starts at 1.

    The words at its ends are buttons that run to it. Where the platform wants no animations it jumps.
    """

    moved = Signal(float, bool)

    def __init__(self, start: str, end: str, *, name: str) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setValue(STEPS)
        self.slider.setPageStep(STEPS // 4)
        self.slider.setSingleStep(STEPS // 20)
        self.slider.setFixedWidth(WIDTH)
        self.slider.setAccessibleName(name)
        self._running = QVariantAnimation(self)
        self._running.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._running.valueChanged.connect(lambda value: self.slider.setValue(round(value)))
        self._running.finished.connect(self._tell)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.ends = (QPushButton(start), QPushButton(end))
        for button, share in zip(self.ends, (0.0, 1.0), strict=True):
            button.setFlat(True)
            button.clicked.connect(lambda _=False, share=share: self.run_to(share))
        for part in (self.ends[0], self.slider, self.ends[1]):
            row.addWidget(part)
        self.slider.valueChanged.connect(lambda _: self._tell())
        self.slider.sliderPressed.connect(self._running.stop)
        self.slider.sliderReleased.connect(self._tell)

    @property
    def share(self) -> float:
        return self.slider.value() / STEPS

    @property
    def is_running(self) -> bool:
        return self._running.state() is QVariantAnimation.State.Running

    @property
    def is_calm(self) -> bool:
        """Whether the platform asks for no animations."""
        return not self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self)

    def run_to(self, share: float) -> None:
        """Moves there in less than half a second, at once where nobody sees it or nobody wants to."""
        self._running.stop()
        wanted = round(share * STEPS)
        if self.is_calm or not self.isVisible():
            self.slider.setValue(wanted)
            return
        self._running.setDuration(round(RUN_MS * abs(wanted - self.slider.value()) / STEPS))
        self._running.setStartValue(float(self.slider.value()))
        self._running.setEndValue(float(wanted))
        self._running.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.is_running:
            self._running.stop()
            self.slider.setValue(round(float(self._running.endValue())))
            self._tell()

    def _tell(self) -> None:
        self.moved.emit(self.share, self.is_running or self.slider.isSliderDown())
