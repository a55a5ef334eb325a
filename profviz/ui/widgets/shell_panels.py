"""Docks that look like panels: a thin title, a border around title, tabs and content; knows no profiler."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import LIGHT, Palette
from profviz.ui.widgets.shell_labels import ElidedLabel

TITLE_HEIGHT = 30
RADIUS = 6.0


class PanelTitle(QWidget):
    """The title bar of a dock: dragging moves the dock, a double click floats it; no height while it is a tab."""

    close_clicked = Signal()

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._tabbed = False
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 2, 4, 0)
        row.addWidget(ElidedLabel(dock.windowTitle(), role="title"), 1)
        close = QPushButton("✕")
        close.setProperty("flat", True)
        close.setToolTip("Hide this panel (View, Panels brings it back)")
        close.setAccessibleName(f"Hide {dock.windowTitle()}")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.setFixedHeight(22)
        close.clicked.connect(dock.close)
        close.clicked.connect(self.close_clicked)
        row.addWidget(close)

    def set_tabbed(self, *, tabbed: bool) -> None:
        if tabbed != self._tabbed:
            self._tabbed = tabbed
            for child in self.findChildren(QWidget):
                child.setVisible(not tabbed)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(120, 0 if self._tabbed else TITLE_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(48, 0 if self._tabbed else TITLE_HEIGHT)


class PanelDock(QDockWidget):
    """A dock around one widget, inset so that the frame which `PanelWindow` paints shows."""

    def __init__(self, id_: str, title: str, content: QWidget) -> None:
        super().__init__(title)
        self.setObjectName(id_)
        inset = QWidget()
        column = QVBoxLayout(inset)
        column.setContentsMargins(2, 0, 2, 3)
        column.addWidget(content)
        self.setWidget(inset)
        self.title = PanelTitle(self)
        self.setTitleBarWidget(self.title)


class PanelWindow(QMainWindow):
    """A main window used as a plain widget whose docks are painted as panels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self._palette = LIGHT
        self._rects: list[QRect] = []
        self._settle = QTimer(self, singleShot=True, interval=0)
        self._settle.timeout.connect(self.settle)
        features = QMainWindow.DockOption  # not animated: Qt 6.11 crashes when a gap is dragged while panels still move
        self.setDockOptions(features.AllowTabbedDocks | features.AllowNestedDocks)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)

    def set_panel_palette(self, palette: Palette) -> None:
        self._palette = palette
        self.update()

    def add_panel(self, dock: PanelDock) -> None:
        dock.topLevelChanged.connect(self._settle.start)
        dock.dockLocationChanged.connect(self._settle.start)
        dock.visibilityChanged.connect(self._settle.start)

    def panels(self) -> list[PanelDock]:
        return [dock for dock in self.findChildren(PanelDock) if isinstance(dock, PanelDock)]

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._settle.start()
        return super().event(event)

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._palette.window))
        painter.setPen(QPen(QColor(self._palette.border), 1.0))
        painter.setBrush(QColor(self._palette.panel))
        for rect in self.panel_rects():
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.end()

    def panel_rects(self) -> list[QRect]:
        """Where frames stand: each visible docked panel, with its tab bar where it has one."""
        bars = [bar for bar in self._tab_bars() if bar.isVisible()]
        rects = []
        for dock in self.panels():
            if dock.isFloating() or dock.visibleRegion().isEmpty():
                continue
            rect = dock.geometry()
            for bar in bars:
                if rect.left() <= bar.geometry().center().x() <= rect.right() and 0 <= rect.top() - bar.y() < 64:
                    rect = rect.united(bar.geometry())
            rects.append(rect)
        return rects

    def _tab_bars(self) -> list[QTabBar]:
        return self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def settle(self) -> None:
        """Titles, tab bars and frames as the docks stand now; comes by itself once Qt has laid them out."""
        for dock in self.panels():
            others = [other for other in self.tabifiedDockWidgets(dock) if not other.isHidden()]
            dock.title.set_tabbed(tabbed=bool(others) and not dock.isFloating())
        for bar in self._tab_bars():
            if not bar.accessibleName():
                bar.setAccessibleName("Panels")
            if bar.elideMode() is not Qt.TextElideMode.ElideNone:  # setting it asks for a layout, which settles anew
                bar.setExpanding(False)
                bar.setDrawBase(False)
                bar.setElideMode(Qt.TextElideMode.ElideNone)
        rects = self.panel_rects()
        if rects != self._rects:  # all panels are painted anew with their frames
            self._rects = rects
            self.update()
