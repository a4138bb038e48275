"""One wrong device file each, and the exact diagnostic it must give."""

from pathlib import Path

import pytest

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc import from_dict, load, loads, presets, to_dict

PRESET = (Path(load.__code__.co_filename).parent / "presets" / "wormhole.yaml").read_text()
COLLECTIVE = load("wormhole").chips[0].calibration["collective"]
BYTE_UNITS = "a number or one with a unit of B, KB, kB, MB, GB, TB, KiB, MiB, GiB, TiB"
NAMES = f"presets: {', '.join(presets())}"
SUSTAINED = next(line.strip() for line in PRESET.splitlines() if "sustained_fraction: " in line)
TAG = "'tag:yaml.org,2002:python/name:os.system'"


def line_of(text: str, content: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if content in line)


def notes_of(text: str) -> tuple[str, ...]:
    with pytest.raises(SystemDescError) as caught:
        loads(text, origin="my.yaml")
    return caught.value.diagnostic.notes


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        (
            "size_bytes: 1464 KiB",
            "size_bytes: 1464 GHz",
            f"chips[0].l1.size_bytes: unit 'GHz' does not measure bytes; {BYTE_UNITS}",
        ),
        (
            "size_bytes: 1464 KiB",
            "size_bytes: -5",
            "chips[0].l1.size_bytes: input should be greater than 0, got -5",
        ),
        (
            "num_banks: 16",
            "num_banks: 16\n      bank: 3",
            "chips[0].l1.bank: unknown field; did you mean 'num_banks'?",
        ),
        (
            "num_banks: 16",
            "num_banks: true",
            "chips[0].l1.num_banks: input should be a valid integer, got True",
        ),
        (
            "num_banks: 16",
            "num_banks: lots",
            "chips[0].l1.num_banks: input should be a valid integer, got 'lots'",
        ),
        (
            "nominal_hz: 1.0 GHz",
            "nominal_hz: .nan",
            "chips[0].clock.nominal_hz: nan is not a finite number of hertz",
        ),
        (
            SUSTAINED,
            "sustained_fraction: 1.5",
            "chips[0].clock.sustained_fraction: input should be less than or equal to 1, got 1.5",
        ),
        (
            "arch: wormhole_b0",
            "arch: grayskull",
            "chips[0].arch: 'grayskull' is not one of 'wormhole_b0' or 'blackhole'",
        ),
        ("grid: [8, 8]", "grid: [8]", "chips[0].grid[1]: this field is missing"),
        ("grid: [8, 8]", "grid: 8", "chips[0].grid: expected a list, got 8"),
        ("grid: [8, 8]", "grid: [8, 9]", "chips[0].grid: 8x9 workers do not fit tensix_grid, 10x8"),
        (
            "tanh_fp32: 1601",
            "tanh_fp32: 0",
            "chips[0].vector.cycles_per_tile.tanh_fp32: input should be greater than 0, got 0",
        ),
        ("mesh_shape: [1, 1]", "mesh_shape: [1, 2]", "mesh_shape: 1x2 is not the number of chips, 1"),
        (
            "mesh_shape: [1, 1]",
            "links: [{from_chip: 0, to_chip: 1, channels: 1}]",
            "links[0].to_chip: there is no chip 1; the system has 1",
        ),
        (
            "mesh_shape: [1, 1]",
            "links: [{from_chip: 0, to_chip: 0, channels: 1}]",
            "links[0].to_chip: chip 0 is linked to itself",
        ),
        ("name: n150", "name:", "name: input should be a valid string, got nothing"),
        ("pcie.latency_ns: tt", "pcie.latency: tt", "chips[0].sources.pcie.latency: names no field"),
        ("pcie.latency_ns: tt", "pcie.latency_ns: #", None),
        (
            "unreserved_end: 1073119552",
            "unreserved_end: 2 GiB",
            "chips[0].dram.unreserved_end: is beyond the channel of 1073741824 bytes",
        ),
        (
            "alignment_bytes: 16",
            "alignment_bytes: 24",
            "chips[0].l1.alignment_bytes: must be a power of two, not 24",
        ),
        ("grid: [1, 12]", "grid: [1, 11]", "chips[0].dram.grid: 1x11 is not the number of channels, 12"),
        (
            "size_bytes: 1464 KiB",
            "size_bytes: 128 KiB",
            "chips[0].l1.size_bytes: 131072 bytes leave nothing after unreserved_base 103712 and reserved_top_bytes 32768",
        ),
        (
            "unreserved_base: 103712",
            "unreserved_base: 103713",
            "chips[0].l1.unreserved_base: must be a multiple of alignment_bytes, 16",
        ),
        (
            "worker_rows: [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]",
            "worker_rows: [1, 2, 3, 4, 5, 7, 8, 9, 10]",
            "chips[0].noc.worker_rows: 9 rows for the 10 of tensix_grid",
        ),
        (
            "worker_rows: [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]",
            "worker_rows: [1, 2, 3, 4, 5, 7, 8, 9, 11, 11]",
            "chips[0].noc.worker_rows: two rows of workers are on one of routers",
        ),
        ("[12, 10]", "[12, 9]", "chips[0].noc.grid: 12x9 routers do not hold all workers"),
        ("routers: [[0, 11]", "routers: [[10, 11]", "chips[0].dram.routers: lie outside of noc.grid, 12x10"),
        ("routers: [[0, 11]", "routers: [[0, 12]", "chips[0].dram.routers: lie outside of noc.grid, 12x10"),
        (
            "bank_workers: [[7, 3]",
            "bank_workers: [[8, 3]",
            "chips[0].dram.bank_workers: lie outside of tensix_grid, 10x8",
        ),
        ("routers: [[0, 11], ", "routers: [", "chips[0].dram.routers: 11 routers for the number of channels, 12"),
        ("workers: [[7, 3], ", "workers: [", "chips[0].dram.bank_workers: 11 workers for the number of channels, 12"),
        (
            "kernel_text_bytes: 12 KiB",
            "kernel_text_bytes: 70 KiB",
            "chips[0].launch.kernel_text_bytes: exceeds config_ring_bytes 70656",
        ),
        (
            "config_ring_bytes: 69 KiB",
            "config_ring_bytes: 102 KiB",
            "chips[0].launch.config_ring_bytes: exceeds l1.unreserved_base 103712",
        ),
        (
            "from_device_call_ns: 61 us\n      alignment_bytes: 32",
            "from_device_call_ns: 61 us\n      alignment_bytes: 33",
            "chips[0].pcie.alignment_bytes: must be a power of two, not 33",
        ),
        (
            f"least_ns: {COLLECTIVE.least_ns:.0f}, most_ns: {COLLECTIVE.most_ns:.0f}",
            f"least_ns: 1 s, most_ns: {COLLECTIVE.most_ns:.0f}",
            f"chips[0].calibration.collective.least_ns: exceeds most_ns {COLLECTIVE.most_ns:g}",
        ),
        (
            "\n      bank_adjacent_read_fraction: 267/288",
            "\n      bank_adjacent_read_fraction: 267/28.8",
            "chips[0].dram.bank_adjacent_read_fraction: input should be less than or equal to 1, got '267/28.8'",
        ),
    ],
)
def test_one_fault(good: str, bad: str, message: str | None) -> None:
    assert good in PRESET
    text = PRESET.replace(good, bad, 1)
    notes = notes_of(text)
    if message is None:
        assert len(notes) == 1
        return
    line = line_of(text, bad.strip().splitlines()[-1])
    assert notes == (f"my.yaml:{line}: {message}",)


def test_faults_and_relations_of_other_fields_are_told_together() -> None:
    """One section without a field, one with a value of another kind: what can be said of all others is."""
    changes = {
        "      num_banks: 16\n": "",
        "size_bytes: 1464 KiB": "size_bytes: 64 KiB",
        "nominal_hz: 1.0 GHz": "nominal_hz: fast",
        "grid: [1, 12]": "grid: [1, 11]",
        "grid: [8, 8]": "grid: [8, 9]",
        "mesh_shape: [1, 1]": "mesh_shape: [1, 2]",
        "load_bytes_per_cycle: 2.29 B/cycle": "load_bytes_per_cycle: 0",
    }
    text = PRESET
    for good, bad in changes.items():
        assert good in text
        text = text.replace(good, bad, 1)
    found = [note.split(": ")[1] for note in notes_of(text)]
    assert found == [
        "mesh_shape",
        "chips[0].grid",
        "chips[0].clock.nominal_hz",
        "chips[0].l1.num_banks",
        "chips[0].l1.size_bytes",
        "chips[0].dram.grid",
        "chips[0].riscv.load_bytes_per_cycle",
    ]


def test_the_links_of_a_chip_have_no_more_channels_together_than_the_chip() -> None:
    links = ", ".join("{from_chip: 0, to_chip: 1, channels: 6}" for _ in range(3))
    text = f"name: a\nmesh_shape: [1, 2]\nchips: [{{base: wormhole}}, {{base: wormhole}}]\nlinks: [{links}]\n"
    why = "18 channels end at chip {}, which has 16 Ethernet links"
    assert notes_of(text) == tuple(f"my.yaml:4: links[2].channels: {why.format(chip)}" for chip in (0, 1))


def test_a_missing_field_is_reported_at_its_section() -> None:
    text = PRESET.replace("      num_banks: 16\n", "")
    assert notes_of(text) == (f"my.yaml:{line_of(text, '    l1:')}: chips[0].l1.num_banks: this field is missing",)


def test_a_scalar_for_a_section() -> None:
    text = "name: a\nchips:\n- base: wormhole\n  clock: fast\n"
    assert notes_of(text) == ("my.yaml:4: chips[0].clock: expected a mapping of fields, got 'fast'",)


@pytest.mark.parametrize("value", ["chips", "{a: 1}", "3", "[[]]", "[x]"])
@pytest.mark.parametrize("field", ["chips", "links", "host", "mesh_shape"])
def test_one_for_several_and_several_for_one(field: str, value: str) -> None:
    """Relations between fields are gone through although one of them is of another form."""
    rest = "" if field == "chips" else "chips: [{base: wormhole}]\n"
    found = notes_of(f"{rest}name: a\n{field}: {value}\n")
    assert any(field in note for note in found)


@pytest.mark.parametrize("line", ['name: "\\ud800"', 'host: "\\ud800"', '"\\ud800": 3', '"\\ud800": "\\udfff"'])
def test_half_a_character(line: str) -> None:
    rest = "chips: [{base: wormhole}]\n" + ("" if line.startswith("name") else "name: a\n")
    assert any("my.yaml:1: " in note for note in notes_of(f"{line}\n{rest}"))


def test_a_key_that_stands_twice() -> None:
    text = "name: a\nname: b\nchips: [{base: wormhole}]\n"
    assert notes_of(text) == ("my.yaml:2: name: occurs twice, first in line 1",)


def test_all_faults_of_a_file_are_in_one_error_in_order() -> None:
    text = "name: a\nnam: b\nchips:\n- base: wormhole\n  l1:\n    size_bytes: 1 s\n  dst_tiles: 0\nname: c\n"
    assert notes_of(text) == (
        "my.yaml:2: nam: unknown field; did you mean 'name'?",
        f"my.yaml:6: chips[0].l1.size_bytes: unit 's' does not measure bytes; {BYTE_UNITS}",
        "my.yaml:7: chips[0].dst_tiles: input should be greater than or equal to 1, got 0",
        "my.yaml:8: name: occurs twice, first in line 1",
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", "my.yaml:1: the file is empty"),
        ("# nothing\n", "my.yaml:1: the file is empty"),
        ("\n- 1\n", "my.yaml:2: expected a mapping of fields, got a list"),
        ("5", "my.yaml:1: expected a mapping of fields, got 5"),
        (
            "a: 1\nb: [1, 2\nc: 3\n",
            "my.yaml:3: not YAML: while parsing a flow sequence expected ',' or ']', but got ':'",
        ),
        ("a: 1\nb: *c\n", "my.yaml:2: not YAML: found undefined alias 'c'"),
        ("a: 1\nb: \x00\n", "my.yaml:2: not YAML: special characters are not allowed"),
        ("[" * 5000, "my.yaml:1: nested too deeply"),
        (
            "a: !!python/name:os.system x",
            f"my.yaml:1: not YAML: could not determine a constructor for the tag {TAG}",
        ),
        (
            "--- {a: 1}\n--- {b: 1}\n",
            "my.yaml:2: not YAML: expected a single document in the stream but found another document",
        ),
    ],
)
def test_what_is_no_device_file(text: str, note: str) -> None:
    assert notes_of(text) == (note,)


@pytest.mark.parametrize("value", ["!!bool spam", "!!int ''", "!!timestamp spam", "2021-13-45", "9" * 5000])
def test_a_scalar_that_is_none_of_its_type(value: str) -> None:
    assert any(note.startswith("my.yaml:1: ") and "no value: " in note for note in notes_of(f"a: {value}"))


def test_aliases_cannot_grow_without_bound() -> None:
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    (note,) = notes_of("\n".join(lines))
    assert note.endswith("more than 50000 values")


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("wormhol", f"'wormhol' is neither a file nor a preset; did you mean 'wormhole'?; {NAMES}"),
        ("wormhole_n300", "'wormhole_n300' does not describe exactly one chip"),
        ("[1]", "expected the name of a preset or file"),
    ],
)
def test_a_wrong_base(base: str, message: str) -> None:
    text = f"name: a\nchips:\n- arch: blackhole\n  base: {base}\n"
    assert notes_of(text) == (f"my.yaml:4: chips[0].base: {message}",)


def test_faults_of_a_base_are_reported_where_they_stand(tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text("name: b\nchips:\n- base: wormhole\n  dst_tiles: none\n")
    user = tmp_path / "user.yaml"
    user.write_text("name: u\nchips:\n- base: base.yaml\n  num_cbs: -1\n")
    with pytest.raises(SystemDescError) as caught:
        load(user)
    assert caught.value.diagnostic.notes == (
        f"{user}:4: chips[0].num_cbs: input should be greater than or equal to 1, got -1",
        f"{base}:4: chips[0].dst_tiles: input should be a valid integer, got 'none'",
    )
    assert caught.value.diagnostic.loc == f"{user}:4"


def test_a_base_that_leads_back(tmp_path: Path) -> None:
    path = tmp_path / "self.yaml"
    path.write_text("name: s\nchips:\n- base: self.yaml\n")
    with pytest.raises(SystemDescError, match=r"self.yaml:3: chips\[0\].base: 'self.yaml' is based on itself"):
        load(path)


def test_a_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "model.ttb"
    path.write_bytes(b"TTB\x00\xff\xfe")
    with pytest.raises(SystemDescError, match="is not UTF-8 text: byte 4 is 0xff"):
        load(path)


def test_a_dict_has_paths_but_no_lines() -> None:
    values = to_dict(load("wormhole"))
    values["chips"][0]["l1"]["num_banks"] = 0
    with pytest.raises(SystemDescError) as caught:
        from_dict(values)
    assert caught.value.diagnostic.notes == (
        "chips[0].l1.num_banks: input should be greater than or equal to 1, got 0",
    )


def test_a_fault_in_what_is_inherited_is_told_of_the_users_file():
    with pytest.raises(SystemDescError) as caught:
        loads("name: x\nchips:\n  - base: wormhole.yaml\n    dram: {channel_size_bytes: 1 KiB}\n", origin="my.yaml")
    assert caught.value.diagnostic.loc == "my.yaml"
    assert "wormhole.yaml:" in caught.value.diagnostic.notes[0]


@pytest.mark.parametrize("count", [1, 2])
def test_one_size_of_tiles_is_enough(count: int) -> None:
    values = to_dict(load("wormhole"))
    values["chips"][0]["supported_tile_sizes"] = [[32, 32], [16, 32]][:count]
    assert len(from_dict(values).chips[0].supported_tile_sizes) == count
