"""spans: what an archive has of spans (--span), read with python3-otf2, so by a reader that shares no code with iotrace."""

from collections import defaultdict
from contextlib import closing

import otf2
from otf2 import events


def named(event):
    """The attributes of an event by their names."""
    return {attribute.name: value for attribute, value in (event.attributes or {}).items()}


def read(directory):
    """Returns the latencies of those that ended as {(span, group): [ns]}, the keys of all that began as {span: [numbers]}, how often each
    span was an operation and how often a region, and why others were not ended."""
    latencies, keys, forms, cut = defaultdict(list), defaultdict(list), defaultdict(lambda: [0, 0]), defaultdict(list)
    flying, stacks = {}, defaultdict(list)

    def begin(name, event, form):
        said = named(event)
        keys[name].append([said[f"OTF2::SPAN_KEY{tail}"] for tail in ("", "_2", "_3", "_4") if f"OTF2::SPAN_KEY{tail}" in said])
        forms[name][form] += 1
        return event.time, said.get("OTF2::SPAN_GROUP")

    def end(name, event, begun):
        said = named(event)
        why = said.get("OTF2::IO_CANCEL_REASON")
        if why:
            cut[name].append(why)
        else:
            latencies[name, said.get("OTF2::SPAN_GROUP") or begun[1] or ""].append(event.time - begun[0])

    with closing(otf2.reader.Reader(f"{directory}/traces.otf2")) as trace:
        for location, event in trace.events:
            if isinstance(event, events.IoOperationBegin) and event.handle.io_paradigm.identification == "span":
                flying[event.matching_id] = event.handle.name, begin(event.handle.name, event, 0)
            elif isinstance(event, (events.IoOperationComplete, events.IoOperationCancelled)) and event.matching_id in flying:
                name, begun = flying.pop(event.matching_id)
                end(name, event, begun)
            elif isinstance(event, events.Enter):
                name = event.region.name
                stacks[location].append((name, begin(name, event, 1) if event.region.description == "span" else None))
            elif isinstance(event, events.Leave):
                name, begun = stacks[location].pop()
                if name != event.region.name:
                    raise ValueError(f"{name} was entered, and {event.region.name} is left")
                if begun:
                    end(name, event, begun)
    if flying or any(stacks.values()):
        raise ValueError("something does not end")
    return latencies, keys, dict(forms), dict(cut)


def summed(latencies):
    """As `iotrace latency --json` says it."""
    return {key: (len(values), min(values), max(values), sum(values)) for key, values in latencies.items()}
