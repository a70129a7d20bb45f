#!/usr/bin/python3
"""Usage: kvm_capture.py CAPTURE intel|amd OUT

Makes a capture of a machine whose KVM says kvm_exit and kvm_entry from one of a machine where it does not: before each way out to the
program come an entry and an exit, with the fields that the format files in the capture have. CAPTURE is of `workload_kvm`, with
--source=perf --span kvm --span kvm-user -e kvm:kvm_pio."""

import struct
import sys

HEADER = struct.Struct("<8sQQQQQQQQQ")
EXITS = {"intel": (1, {"io": 30, "halt": 12}), "amd": (2, {"io": 0x7B, "halt": 0x78})}
SAMPLE, FEATURES = 9, 256
IDENTIFIER, IP, TID, TIME, ADDR, CPU, PERIOD, RAW = 1 << 16, 1, 2, 4, 8, 1 << 7, 1 << 8, 1 << 10


def events_of(data, header):
    """Returns {tracepoint's number: (sample_type, a sample id)}, and back."""
    _, _, attr_size, attrs, attrs_size = header[:5]
    events, of_id = {}, {}
    for at in range(attrs, attrs + attrs_size, attr_size):
        kind, _, config, _, sample_type = struct.unpack_from("<IIQQQ", data, at)
        ids, size = struct.unpack_from("<QQ", data, at + attr_size - 16)
        numbers = struct.unpack_from(f"<{size // 8}Q", data, ids)
        for number in numbers:
            of_id[number] = (kind, config, sample_type, numbers)
        if kind == 2:
            events[config] = (sample_type, numbers)
    return events, of_id


def number_of(data, name):
    """Its format file is in the capture: "name: kvm_exit\\nID: 103\\n"."""
    at = data.index(b"name: " + name + b"\n")
    return int(data[at:at + 200].split(b"ID: ")[1].split(b"\n")[0])


def raw_at(record, sample_type):
    """Returns where the time and the raw data of a sample are."""
    at, time = 8, None
    for bit in (IDENTIFIER, IP, TID, TIME, ADDR, 1 << 6, 1 << 9, CPU, PERIOD):
        if not sample_type & bit:
            continue
        if bit == TIME:
            time = at
        at += 8
    return time, at


def made(record, sample_type, old_ids, ids, back, raw):
    """A copy of the sample that is of another event, earlier, and has other raw data."""
    time, at = raw_at(record, sample_type)
    number, = struct.unpack_from("<Q", record, 8)
    moment, = struct.unpack_from("<Q", record, time)
    length = len(raw) + 4
    raw += b"\0" * (-length % 8)
    body = bytearray(record[:at] + struct.pack("<I", len(raw)) + raw)
    struct.pack_into("<Q", body, 8, ids[old_ids.index(number)])
    struct.pack_into("<Q", body, time, moment - back)
    struct.pack_into("<H", body, 6, len(body))
    return bytes(body)


def counted(data, names):
    """The kernel counted as many entries and exits as ways out: the fact COUNT has the event, the count and three other numbers, the length
    of a name and the name."""
    data, places = bytearray(data), {}
    for name in names:
        text = b"iotrace:event:" + name
        places[name] = data.rindex(struct.pack("<H", len(text)) + text) - 32
    number, = struct.unpack_from("<Q", data, places[b"kvm:kvm_userspace_exit"])
    for name in (b"kvm:kvm_exit", b"kvm:kvm_entry"):
        struct.pack_into("<Q", data, places[name], number)
    return bytes(data)


def main(source, machine, target):
    with open(source, "rb") as file:
        data = file.read()
    header = HEADER.unpack_from(data)
    begin, size = header[5], header[6]
    events, of_id = events_of(data, header)
    leave, enter, out = (number_of(data, name) for name in (b"kvm_exit", b"kvm_entry", b"kvm_userspace_exit"))
    isa, reasons = EXITS[machine]
    data = counted(data, (b"kvm:kvm_exit", b"kvm:kvm_entry", b"kvm:kvm_userspace_exit"))
    records, at = [], begin
    last_pio = None
    while at < begin + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        record = data[at:at + length]
        event = of_id.get(struct.unpack_from("<Q", record, 8)[0]) if kind == SAMPLE else None
        if event and event[0] == 2 and event[1] == out:
            where = raw_at(record, event[2])[1]
            reason, = struct.unpack_from("<I", record, where + 4 + 8)
            common = struct.pack("<HBBi", leave, 0, 0, struct.unpack_from("<i", record, where + 4 + 4)[0])
            exit_raw = common + struct.pack("<IIQIIQQIIIIQ", reasons["io" if reason == 2 else "halt"], 0, 0x1003, isa, 0, 0x100000, 0, 0, 0,
                                            0, 0, 0)
            entry_raw = struct.pack("<H", enter) + common[2:] + struct.pack("<IIQIII", 0, 0, 0x1003, 0, 0, 0)
            place = len(records) if last_pio is None else last_pio
            records[place:place] = [made(record, event[2], event[3], events[enter][1], 3000, entry_raw),
                                    made(record, event[2], event[3], events[leave][1], 2500, exit_raw)]
            last_pio = None
        records.append(record)
        if event and event[0] == 2 and event[1] == number_of(data, b"kvm_pio"):
            last_pio = len(records) - 1
        at += length
    body = b"".join(records)
    grown = len(body) - size
    table = bytearray(data[begin + size:])
    features = sum(bin(word).count("1") for word in struct.unpack_from("<4Q", data, 72))
    for index in range(features):
        where, length = struct.unpack_from("<QQ", table, 16 * index)
        if where > begin:  # iotrace writes its features before the data
            struct.pack_into("<Q", table, 16 * index, where + grown)
    head = bytearray(data[:begin])
    struct.pack_into("<Q", head, 48, len(body))
    with open(target, "wb") as file:
        file.write(bytes(head) + body + bytes(table))


main(*sys.argv[1:])
