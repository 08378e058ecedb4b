"""The robot file: its document becomes a Robot."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.conventions import CONVERSIONS, Row, Stand, tool_frame
from emdeg.formats.declaration import check_document
from emdeg.formats.document import plain
from emdeg.formats.grammar import nearest
from emdeg.formats.inertias import BodyReader
from emdeg.formats.joints import JointReader
from emdeg.formats.letters import Letters
from emdeg.formats.place import Place
from emdeg.formats.placement import read_frame
from emdeg.formats.tree import joint_rows
from emdeg.robot import Body, Joint, Robot

MAX_JOINTS = 1000


def read_robot(document: Mapping[str, Any], source: str, snap: Fraction | None = None) -> Robot:
    """The robot that a document describes; `source` names it in messages, `snap` is the rule for right angles."""
    return _Builder(document, Place(source), snap).build()


@dataclass(frozen=True)
class _Builder:
    """The steps from a document to a robot."""

    document: Mapping[str, Any]
    place: Place
    snap: Fraction | None

    def build(self) -> Robot:
        document = self.document
        check_document(document, self.place)
        if len(document["joint"]) > MAX_JOINTS:
            raise InputError(
                f"the robot has {len(document['joint'])} joints", where=str(self.place), advice=f"at most {MAX_JOINTS}"
            )
        letters = Letters(document, self.place, self.snap)
        rows = joint_rows(document["joint"], self.place)
        stands = CONVERSIONS[document["convention"]](rows, letters)
        gravity_place = self.place.key("gravity")
        x, y, z = (letters.scalar(value, "m/s²", "gravity", gravity_place) for value in document["gravity"])
        base = read_frame(document.get("base", {}), letters, self.place.key("base"))
        tool = tool_frame(document, stands, rows, letters, self.place)
        links = self._links(rows, stands, letters)
        names = _link_indices(rows, links)
        joints = self._joints(rows, stands, names, letters)
        payloads = self._payloads(names, stands, letters)
        return Robot(
            name=document["name"], convention=document["convention"], gravity=(x, y, z), base=base,
            joints=tuple(joints), links=tuple(links), payloads=tuple(payloads), tool=tool,
            constants=letters.constants(document), symbols=letters.symbols(), sources=document.get("sources", {}),
            snapped=tuple(letters.snapped), snap=self.snap, document=plain(document),
        )  # fmt: skip

    def _links(self, rows: Sequence[Row], stands: Sequence[Stand], letters: Letters) -> list[Body]:
        links = []
        for row, stand, coordinate in zip(rows, stands, _coordinates(rows), strict=True):
            table = row.table.get("link", {})
            name = table.get("name", row.name)
            suffix = str(coordinate) if coordinate else f"_{_identifier(name)}"
            label = f"link {coordinate}" if coordinate else f"link {name}"
            inertia = BodyReader(table, suffix, label, letters, row.place.key("link")).read()
            links.append(Body(name, inertia, stand.frame, table.get("source")))
        return links

    def _joints(
        self, rows: Sequence[Row], stands: Sequence[Stand], links: Mapping[str, int], letters: Letters
    ) -> list[Joint]:
        moving = {row.name: row.type for row in rows if row.type != "fixed"}
        frames = {index: stand.frame for index, stand in enumerate(stands)}
        joints = []
        for row, stand, coordinate in zip(rows, stands, _coordinates(rows), strict=True):
            reader = JointReader(row, coordinate, letters)
            reader.check_fixed()
            joints.append(
                Joint(
                    row.name, row.parent, row.type, stand.placement, stand.offset, reader.limits(),  # type: ignore[arg-type]
                    reader.friction(), reader.drive(links, frames), reader.mimic(moving),
                )
            )  # fmt: skip
        return joints

    def _payloads(self, links: Mapping[str, int], stands: Sequence[Stand], letters: Letters) -> list[tuple[int, Body]]:
        payloads = []
        for number, table in enumerate(self.document.get("payload", ()), 1):
            name = table.get("name", f"payload{number}")
            place = self.place.entry("payload", number, table.get("name", ""))
            if table["link"] not in links:
                advice = f"one of: {', '.join(links)}{nearest(table['link'], tuple(links))}"
                raise InputError(f"there is no link {table['link']!r}", where=str(place.key("link")), advice=advice)
            index = links[table["link"]]
            inertia = BodyReader(table, f"_{_identifier(name)}", name, letters, place).read()
            payloads.append((index, Body(name, inertia, stands[index].frame, table.get("source"))))
        return payloads


def _coordinates(rows: Sequence[Row]) -> list[int]:
    """The number of each joint's coordinate, from 1; 0 where it is fixed."""
    numbers, last = [], 0
    for row in rows:
        moves = row.type != "fixed"
        last += moves
        numbers.append(last if moves else 0)
    return numbers


def _link_indices(rows: Sequence[Row], links: Sequence[Body]) -> dict[str, int]:
    """Links by their names and by those of their joints."""
    names = {row.name: index for index, row in enumerate(rows)}
    for index, (row, link) in enumerate(zip(rows, links, strict=True)):
        if names.setdefault(link.name, index) != index:
            raise InputError(f"two links are called {link.name!r}", where=str(row.place.key("link", "name")))
    return names


def _identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
