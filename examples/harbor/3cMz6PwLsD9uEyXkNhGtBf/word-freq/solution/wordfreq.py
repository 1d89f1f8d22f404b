import collections
import re
import sys

text = sys.stdin.buffer.read().decode("utf-8").lower()
counts = collections.Counter(re.findall(r"[^\W\d_]+", text))
out = "".join(f"{word} {count}\n" for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3])
sys.stdout.buffer.write(out.encode("utf-8"))
