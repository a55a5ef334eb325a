"""Chrome trace JSON as `torch.profiler` writes it, whatever the vendor."""

from profviz.formats.chrome.opening import FORMAT as FORMAT
from profviz.formats.chrome.reader import read_chrome_trace as read_chrome_trace
