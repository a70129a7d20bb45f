"""Makes captures of machines with NVMe devices, in the format of perf.data: in each range of Linux's releases, the command id of the
begin and that of the end differ in other ways. The fields are those of the kernel's drivers/nvme/host/trace.h."""

import struct

COMMON = ("unsigned short common_type", 2, 0), ("unsigned char common_flags", 1, 0), ("unsigned char common_preempt_count", 1, 0), (
    "int common_pid", 4, 1)
SETUP = ("char disk[32]", 32, 0), ("int ctrl_id", 4, 1), ("int qid", 4, 1), ("u8 opcode", 1, 0), ("u8 flags", 1, 0), ("u8 fctype", 1, 0), (
    "u16 cid", 2, 0), ("u32 nsid", 4, 0), ("bool metadata", 1, 0), ("u8 cdw10[24]", 24, 0)
COMPLETE = ("char disk[32]", 32, 0), ("int ctrl_id", 4, 1), ("int qid", 4, 1), ("int cid", 4, 1), ("u64 result", 8, 0), (
    "u8 retries", 1, 0), ("u8 flags", 1, 0), ("u16 status", 2, 0)
READ = 2
HEADER, ATTR, SAMPLE, PERF_SAMPLE_RECORD = 104, 64, struct.Struct("<QIIQIII"), 9
TRACING_DATA = 1
IDENTIFIER, TID, TIME, CPU, RAW = 1 << 16, 2, 4, 1 << 7, 1 << 10

# The bits of a command id above its tag, when the tag is used for the Nth time: those of the begin and those of the end.
KERNELS = {
    "before 5.14": (lambda n: 0, lambda n: 0),
    "5.14": (lambda n: n % 16 << 12, lambda n: 0),
    "5.19": (lambda n: n % 16 << 12, lambda n: n % 16 << 12),
}


def layout(fields):
    """Returns [(declaration, offset, size, signed)] as a C compiler places them, and {name: (offset, size)}."""
    at, rows = 0, []
    for declaration, size, signed in fields:
        align = 1 if "[" in declaration else size
        at += -at % align
        rows.append((declaration, at, size, signed))
        at += size
    return rows, {row[0].split()[-1].split("[")[0]: row[1:3] for row in rows}, at + -at % 8


def format_file(name, number, fields):
    lines = [f"\tfield:{text};\toffset:{at};\tsize:{size};\tsigned:{signed};\n" for text, at, size, signed in layout(fields)[0]]
    lines.insert(len(COMMON), "\n")
    return f'name: {name}\nID: {number}\nformat:\n{"".join(lines)}\nprint fmt: ""\n'.encode()


EVENTS = {"nvme_setup_cmd": (901, COMMON + SETUP), "nvme_complete_rq": (902, COMMON + COMPLETE)}


def raw(name, **values):
    number, fields = EVENTS[name]
    _, places, size = layout(fields)
    data = bytearray(size)
    for field, value in {"common_type": number, **values}.items():
        at, length = places[field]
        data[at:at + length] = value.to_bytes(length, "little")
    return bytes(data)


def tracing_data():
    files = [format_file(name, number, fields) for name, (number, fields) in EVENTS.items()]
    sized = b"".join(struct.pack("<Q", len(file)) + file for file in files)
    return (b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096) + b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" +
            struct.pack("<QII", 0, 0, 1) + b"nvme\0" + struct.pack("<I", len(files)) + sized + struct.pack("<IIQ", 0, 0, 0))


def sample(time, name, **values):
    data = raw(name, **values)
    data += b"\0" * ((4 - len(data)) % 8)
    number = EVENTS[name][0]
    body = SAMPLE.pack(number, 7, 7, time, 0, 0, len(data)) + data
    return struct.pack("<IHH", PERF_SAMPLE_RECORD, 2, 8 + len(body)) + body


def commands(kernel):
    """32 commands with tags 1 and 2 on each of two queues: the tags come back, in each use with another count. They take 100, 200, ... ns."""
    of_begin, of_end = KERNELS[kernel]
    time, records = 1000, []
    for index in range(8):
        for queue in (1, 2):
            for tag in (1, 2):
                records.append(sample(time + tag, "nvme_setup_cmd", ctrl_id=0, qid=queue, cid=of_begin(index + 1) | tag, opcode=READ))
        for queue in (1, 2):
            for tag in (1, 2):
                records.append(sample(time + tag + 100 * (index + 1) + 1000 * queue, "nvme_complete_rq", ctrl_id=0, qid=queue,
                                      cid=of_end(index + 1) | tag))
        time += 10000
    return b"".join(records)


def write(path, kernel):
    records, tracing = commands(kernel), tracing_data()
    ids = struct.pack("<QQ", *(number for number, _ in EVENTS.values()))
    attrs_at = HEADER + len(ids)
    attrs = b"".join(
        struct.pack("<IIQQQQQ", 2, ATTR, number, 1, IDENTIFIER | TID | TIME | CPU | RAW, 0, 1 << 18) + b"\0" * (ATTR - 48) +
        struct.pack("<QQ", HEADER + 8 * index, 8) for index, (number, _) in enumerate(EVENTS.values()))
    data_at = attrs_at + len(attrs)
    table = struct.pack("<QQ", data_at + len(records) + 16, len(tracing))
    head = struct.pack("<8sQQQQQQQQ4Q", b"PERFILE2", HEADER, ATTR + 16, attrs_at, len(attrs), data_at, len(records), 0, 0, 1 << TRACING_DATA, 0, 0,
                       0)
    with open(path, "wb") as file:
        file.write(head + ids + attrs + records + table + tracing)
