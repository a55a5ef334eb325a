"""The monkey's hands: one random but bounded action at a time, done to the window through real Qt events."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from monkey_files import WORDS, Files
from monkey_seeing import LEAVING, is_seen, is_there, linger, palette_ids, table_keys, wait_for
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QKeyEvent, QKeySequence, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHeaderView, QLineEdit, QMenu, QSlider, QTabBar, QTableView, QWidget

from profviz.ui.main_window import MainWindow
from profviz.ui.widgets.shell_overlay import Overlay
from profviz.ui.widgets.shell_panels import PanelDock

NONE, SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
HELD = [NONE] * 6 + [SHIFT, SHIFT, CONTROL, CONTROL, ALT, SHIFT | CONTROL]
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NESTED_MS = 100
PLAIN_KEYS = "Escape Tab Backtab Return Enter Delete Backspace Home End Left Right Up Down PageUp PageDown F2 F10 Space"
ANY_KEYS = [Qt.Key(code) for code in range(0x20, 0x60)] + [Qt.Key[f"Key_{name}"] for name in PLAIN_KEYS.split()]
BEHAVIOURS = ("normal", "normal", "fail", "crash", "variant_fails", "hang", "garbage", "bad_result")


class Hands:
    """`act(random)` does one thing and says what; the same `random` on the same window does the same."""

    def __init__(self, window: MainWindow, files: Files) -> None:
        self.window, self.files = window, files
        self._keys, self._ids = table_keys(), palette_ids()
        deeds: dict[Callable[[Random], str], float] = {
            self.press: 20, self.press_any: 6, self.do: 14, self.click: 12, self.move: 6, self.drag: 9, self.wheel: 9,
            self.tab: 5, self.sort: 3, self.write: 6, self.menu: 3, self.undo: 6, self.theme: 0.7, self.resize: 2,
            self.open: 1.6, self.drop: 0.3, self.dismiss: 5, self.run_script: 0.12, self.rest: 2, self.palette: 1,
            self.panel: 2, self.gap: 2, self.slide: 1.5,
        }  # fmt: skip
        self.doing = ""
        self._nested = QTimer(window, interval=NESTED_MS)
        self._nested.timeout.connect(self._answer_menu)
        self._deeds, self._weights = list(deeds), list(deeds.values())

    def act(self, random: Random) -> str:
        deed = random.choices(self._deeds, weights=self._weights)[0]
        self.doing, self._random = deed.__name__, random
        self._nested.start()
        try:
            return f"{self.doing} {deed(random)}"
        except RuntimeError as error:
            if "QWindow) already deleted" not in str(error):
                raise
            return f"{self.doing} on a menu that was just closing"
        finally:
            self._nested.stop()

    def _answer_menu(self) -> None:
        """A button's menu runs a loop of its own until something is chosen: the deed stands still meanwhile."""
        keys = [Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Escape]
        if QApplication.activePopupWidget() is not None:
            self._choose_from_menu(self._random.choice(keys))

    def _choose_from_menu(self, key: Qt.Key) -> None:
        popup = QApplication.activePopupWidget()
        chosen = popup.activeAction() if isinstance(popup, QMenu) else None
        leaves = chosen is not None and chosen.objectName() in LEAVING
        self.key(Qt.Key.Key_Escape if leaves and key == Qt.Key.Key_Return else key)

    # -- where ------------------------------------------------------------------------------------------------

    def handle(self) -> QWindow:
        """The window that has the keyboard: a popup, a dialog, a floating panel or the main one."""
        on_top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if on_top is not None and on_top.windowHandle() is not None:
            return on_top.windowHandle()
        focused = QGuiApplication.focusWindow()
        if focused is None:
            self.window.activateWindow()
        return focused or self.window.windowHandle()

    def widget(self, random: Random) -> QWidget:
        """Something that shows: the timelines often, else within any panel or anywhere in the window."""
        on_top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if on_top is not None and random.random() < 0.7:
            return on_top
        docks = [dock for dock in self.window.findChildren(PanelDock) if is_seen(dock)]
        kind = random.random()
        if docks and kind < 0.3:
            return self.canvas() or random.choice(docks)
        root = random.choice(docks) if docks and kind < 0.8 else self.window
        return random.choice([root, *(one for one in root.findChildren(QWidget) if is_seen(one))])

    def canvas(self) -> QWidget | None:
        page = self.window._results_page
        canvas = page.holders["timeline"].view.canvas if page is not None else None
        return canvas if canvas is not None and is_seen(canvas) else None

    def spot(self, random: Random) -> tuple[QWindow, QPoint]:
        widget = self.widget(random)
        inside = QPoint(random.randrange(max(1, widget.width())), random.randrange(max(1, widget.height())))
        whole = QWidget.window(widget)  # views have attributes of that name
        return whole.windowHandle() or self.window.windowHandle(), widget.mapTo(whole, inside)

    def key(self, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
        """A menu that the press may close gets the event alone: QTest would go on with the window that is gone."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            QApplication.sendEvent(popup, QKeyEvent(QEvent.Type.KeyPress, key, held))
        else:
            QTest.keyClick(self.handle(), key, held)

    def button(
        self, handle: QWindow, at: QPoint, button: Qt.MouseButton = LEFT, held: Qt.KeyboardModifier = NONE
    ) -> None:
        QTest.mousePress(handle, button, held, at)
        self.let_go(handle, at, button, held)

    def let_go(self, handle: QWindow, at: QPoint, button: Qt.MouseButton, held: Qt.KeyboardModifier) -> None:
        """Over the main window where the one that was pressed is gone."""
        if is_there(handle):
            QTest.mouseRelease(handle, button, held, at)
        else:
            QTest.mouseRelease(self.window.windowHandle(), button, held, QPoint(1, 1))

    # -- keys -------------------------------------------------------------------------------------------------

    def press(self, random: Random) -> str:
        """A key of the tables, often on the timelines."""
        canvas = self.canvas()
        if canvas is not None and random.random() < 0.5:
            canvas.setFocus()
        key = random.choice(self._keys)
        both = QKeySequence(key)[0]
        self.key(both.key(), both.keyboardModifiers())
        return key

    def press_any(self, random: Random) -> str:
        key, held = random.choice(ANY_KEYS), random.choice(HELD)
        if held & CONTROL and key in (Qt.Key.Key_Q, Qt.Key.Key_W) and random.random() < 0.8:
            return "nothing"
        self.key(key, held)
        return f"{key.name} {held.name}"

    def write(self, random: Random) -> str:
        """Words in a field, and Enter, Shift+Enter, Escape or nothing after them."""
        fields = [one for one in self.window.findChildren(QLineEdit) if is_seen(one) and one.isEnabled()]
        words = random.choice(WORDS)
        if not fields:
            return "nothing"
        field = random.choice(fields)
        name = field.accessibleName()  # the field may be gone afterwards
        field.setFocus()
        if random.random() < 0.7:
            field.selectAll()
        if not words.isascii():
            field.insert(words)  # QTest types ASCII only
        elif words:
            QTest.keyClicks(field, words)
        else:
            QTest.keyClick(field, Qt.Key.Key_Delete)
        after = random.choice([None, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Tab])
        if after is not None:
            self.key(after, random.choice([NONE, NONE, SHIFT]))
        return f"{name!r} {words[:40]!r} {after.name if after else ''}"

    def palette(self, random: Random) -> str:
        self.window.actions_.run("help.palette")
        words = random.choice(["track", "zoom", "theme", "search", "table", "x"])
        if (field := QApplication.focusWidget()) is not None:
            QTest.keyClicks(field, words)
            self.key(Qt.Key.Key_Return)
        return words

    # -- mouse ------------------------------------------------------------------------------------------------

    def click(self, random: Random) -> str:
        handle, at = self.spot(random)
        held, button = random.choice(HELD), RIGHT if random.random() < 0.12 else LEFT
        if random.random() < 0.2 and QApplication.activePopupWidget() is None:
            QTest.mouseDClick(handle, button, held, at)
        else:
            self.button(handle, at, button, held)
        return f"{at.x()} {at.y()} {button.name} {held.name}"

    def move(self, random: Random) -> str:
        handle, at = self.spot(random)
        for step in range(random.randrange(1, 6)):
            if not is_there(handle):
                break
            QTest.mouseMove(handle, at + QPoint(7 * step, 3 * step))
        return f"{at.x()} {at.y()}"

    def drag(self, random: Random) -> str:
        """From a place to one near it or anywhere."""
        handle, start = self.spot(random)
        return self._drag(random, handle, start, random.choice(HELD))

    def _drag(self, random: Random, handle: QWindow, start: QPoint, held: Qt.KeyboardModifier = NONE) -> str:
        """Lets go outside the window now and then, or after Escape."""
        far = QPoint(random.randrange(-60, handle.width() + 60), random.randrange(-60, handle.height() + 60))
        end = far if random.random() < 0.4 else start + QPoint(random.randrange(-300, 300), random.randrange(-80, 80))
        QTest.mousePress(handle, LEFT, held, start)
        for part in (0.05, 0.4, 0.8, 1):
            if is_there(handle):
                QTest.mouseMove(handle, start + (end - start) * part)
        if random.random() < 0.1:
            self.key(Qt.Key.Key_Escape)
        self.let_go(handle, end, LEFT, held)
        return f"{start.x()} {start.y()} {end.x()} {end.y()} {held.name}"

    def panel(self, random: Random) -> str:
        """A panel is dragged by its title or its tab, floated, hidden or shown, or all stand as at first again."""
        docks = self.window.findChildren(PanelDock)
        shown = [dock.title for dock in docks if is_seen(dock.title) and dock.title.height() > 4]
        bars = [bar for bar in self.window.findChildren(QTabBar) if is_seen(bar) and bar.count()]
        kind = random.random()
        if docks and kind < 0.2:
            random.choice(docks).toggleViewAction().trigger()
            return "shown or hidden"
        if kind < 0.3:
            self.window.actions_.run("view.reset_layout")
            return "reset"
        if not shown + bars:
            return "nothing"
        grip: QWidget = random.choice(shown + bars)
        inside = QPoint(20, 10)
        if isinstance(grip, QTabBar):
            inside = grip.tabRect(random.randrange(grip.count())).center()
        top = QWidget.window(grip)
        handle, at = top.windowHandle(), grip.mapTo(top, inside)
        if kind < 0.45:
            QTest.mouseDClick(handle, LEFT, NONE, at)
            return f"double click {at.x()} {at.y()}"
        return self._drag(random, handle, at)

    def gap(self, random: Random) -> str:
        """The gap beside or below a panel is dragged."""
        docks = [dock for dock in self.window.findChildren(PanelDock) if is_seen(dock) and not dock.isFloating()]
        if not docks:
            return "nothing"
        dock = random.choice(docks)
        area, beside = dock.geometry(), random.random() < 0.5
        at = QPoint(area.right() + 2, area.center().y()) if beside else QPoint(area.center().x(), area.bottom() + 2)
        at = dock.parentWidget().mapTo(self.window, at)
        return self._drag(random, self.window.windowHandle(), at)

    def slide(self, random: Random) -> str:
        """A slider is dragged about, faster than what it shows can follow."""
        sliders = [one for one in self.window.findChildren(QSlider) if is_seen(one) and one.isEnabled()]
        if not sliders:
            return "nothing"
        slider = random.choice(sliders)
        start = slider.mapTo(slider.window(), QPoint(random.randrange(slider.width()), slider.height() // 2))
        return self._drag(random, slider.window().windowHandle(), start)

    def wheel(self, random: Random) -> str:
        handle, at = self.spot(random)
        across, down = random.choice([(0, 120), (0, -120), (0, 480), (0, -480), (120, 0), (-7, 3)])
        held = random.choice(HELD)
        widget = self.window if handle is self.window.windowHandle() else QApplication.widgetAt(handle.mapToGlobal(at))
        target = (widget or self.window).childAt(at) or widget or self.window
        whole = QPointF(handle.mapToGlobal(at))
        inside, phase = target.mapFromGlobal(whole), Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(inside, whole, QPoint(), QPoint(across, down), Qt.MouseButton.NoButton, held, phase, False)
        QApplication.sendEvent(target, event)
        return f"{at.x()} {at.y()} {across} {down} {held.name}"

    def tab(self, random: Random) -> str:
        bars = [one for one in self.window.findChildren(QTabBar) if is_seen(one) and one.count()]
        if not bars:
            return "nothing"
        bar = random.choice(bars)
        number = random.randrange(bar.count())
        if not bar.rect().contains(bar.tabRect(number).center()):
            bar.setCurrentIndex(number)  # scrolled out of the bar
        else:
            at = bar.mapTo(bar.window(), bar.tabRect(number).center())
            self.button(bar.window().windowHandle(), at)
        return bar.tabText(number) if number < bar.count() else ""

    def sort(self, random: Random) -> str:
        """A click on a table's head, or a drag of its edge."""
        heads = [one for table in self.window.findChildren(QTableView) for one in [table.horizontalHeader()]]
        heads = [one for one in heads if is_seen(one) and one.count()]
        if not heads:
            return "nothing"
        head: QHeaderView = random.choice(heads)
        section = random.randrange(head.count())
        x = head.sectionViewportPosition(section) + random.choice([head.sectionSize(section) // 2, 1])
        QTest.mouseClick(head.viewport(), LEFT, NONE, QPoint(x, head.height() // 2))
        return str(section)

    def menu(self, random: Random) -> str:
        """Opens one of the menus and walks through it; what is chosen may be anything but leaving."""
        bar = self.window.menuBar()
        action = random.choice(bar.actions())
        at = bar.mapTo(self.window, bar.actionGeometry(action).center())
        self.button(self.window.windowHandle(), at)
        for _ in range(random.randrange(6)):
            self.key(random.choice([Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left]))
        self._choose_from_menu(random.choice([Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Return]))
        return action.text()

    # -- whole deeds ------------------------------------------------------------------------------------------

    def do(self, random: Random) -> str:
        id_ = random.choice(self._ids)
        self.window.actions_.run(id_)
        return id_

    def undo(self, random: Random) -> str:
        id_ = random.choice(["edit.undo", "edit.undo", "edit.redo"])
        for _ in range(random.randrange(1, 5)):
            self.window.actions_.run(id_)
        return id_

    def theme(self, random: Random) -> str:
        self.window.actions_.run("view.theme")
        return ""

    def resize(self, random: Random) -> str:
        width, height = random.randrange(640, 2561), random.randrange(420, 1441)
        self.window.showNormal()
        self.window.resize(width, height)
        return f"{width} {height}"

    def open(self, random: Random) -> str:
        """Opens files and waits for them, or goes on at once, or gives up."""
        paths = [str(path) for path in self.files.choose(random)]
        self.window.open_paths(paths)
        then = random.choices(["wait", "go on", "cancel"], weights=[6, 3, 1])[0]
        if then == "wait":
            self.wait_loaded()
        elif then == "cancel":
            linger(random.randrange(60))
            QTest.keyClick(self.window.windowHandle(), Qt.Key.Key_Escape)
        return f"{then} {paths}"

    def drop(self, random: Random) -> str:
        paths = self.files.choose(random)
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        at = QPointF(self.window.rect().center())
        event = QDropEvent(at, Qt.DropAction.CopyAction, data, LEFT, NONE)
        QApplication.sendEvent(self.window, event)
        return str(list(map(str, paths)))

    def run_script(self, random: Random) -> str:
        """A script run by a worker that behaves or does not."""
        behaviour = random.choice(BEHAVIOURS)
        self.window._python = self.files.worker(behaviour)
        self.window.open_paths([str(self.files.script)], auto_run=True)
        linger(random.choice([50, 400, 1500]))
        if behaviour == "hang":
            self.window.actions_.run("run.cancel")
        return behaviour

    def rest(self, random: Random) -> str:
        linger(random.randrange(1, 60))
        return ""

    def dismiss(self, random: Random) -> str:
        """What lies over the results is put away, and the results are shown."""
        self.clear_away()
        if random.random() < 0.8:
            self.window.show_results()
        return ""

    def clear_away(self) -> None:
        for _ in range(8):
            top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
            if top is None:
                break
            top.close()
        for sheet in self.window.findChildren(Overlay):
            sheet.dismiss()

    def wait_loaded(self, *, limit_s: float = 60) -> None:
        opening = self.window.controller.bridge.opening
        if not wait_for(lambda: not opening.running, limit_s=limit_s):
            raise TimeoutError("opening went on for a minute")
