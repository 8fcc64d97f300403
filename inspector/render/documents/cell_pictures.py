"""Charts in cells of tables as SVG: an interval with its value, or a bar."""

from inspector.render.charts.chart_columns import ChartAxis
from inspector.render.elements import Element, element
from inspector.render.svg import box, line
from inspector.render.table_blocks import Cell, CellChart

WIDTH, HEIGHT = 180, 16
_INSET = 5


def cell_picture(cell: Cell, chart: CellChart | None, axis: ChartAxis) -> Element | str:
    """Draw a cell on the axis of its column; "" without a value. The number next to it describes it."""
    if not isinstance(cell.value, (int, float)):
        return ""
    value, middle = float(cell.value), HEIGHT / 2

    def across(number: float) -> float:
        return _INSET + (WIDTH - 2 * _INSET) * axis.share(number)

    shapes: list[Element] = []
    if axis.low < 0 < axis.high:
        shapes.append(line(across(0.0), 0, across(0.0), HEIGHT, "grid"))
    if chart is CellChart.BAR:
        shapes.append(box(_INSET, 3, WIDTH - 2 * _INSET, HEIGHT - 6, "track"))
        shapes.append(box(_INSET, 3, across(value) - _INSET, HEIGHT - 6, "bar"))
    else:
        if cell.low is not None and cell.high is not None:
            low, high = across(cell.low), across(cell.high)
            shapes.append(line(low, middle, high, middle, "whisker"))
            shapes += [line(end, middle - 4, end, middle + 4, "whisker") for end in (low, high)]
        shapes.append(element("circle", cx=across(value), cy=middle, r=4, class_="dot"))
    return element("svg", *shapes, class_="cell", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true")
