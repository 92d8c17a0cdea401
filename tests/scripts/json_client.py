"""A client of a Betwixt relay: it joins a list, adds two items and one between them, and waits for somebody to move one.

    pip install websockets
    betwixt relay --listen 127.0.0.1:7878
    python3 tests/scripts/json_client.py ws://127.0.0.1:7878 groceries
"""

import hashlib, json, secrets, sys
from websockets.sync.client import connect


class Rows:
    """The items of a list: of each its fields, and of each field the stamp that won it."""

    def __init__(self):
        self.items = {}

    def take(self, kind, said):
        for item in said["items"] if kind == "snapshot_part" and "items" in said else []:
            self.write(item, item["hlc"], item.get("hlcs", {}))
        for entry in said["entries"] if kind == "entries" else []:
            self.write(entry["op"].get("add") or entry["op"].get("put") or {}, entry["op"]["hlc"], {})

    def write(self, fields, hlc, hlcs):
        for field, value in fields.items():
            stamp = hlcs.get(field, hlc)
            stamp = (stamp["wall"], stamp["counter"], stamp["site"])
            item = self.items.setdefault(fields["item"], {})
            if field not in item or item[field][0] < stamp:
                item[field] = (stamp, value)

    def texts(self):
        items = [{field: value for field, (_, value) in item.items()} for item in self.items.values()]
        items.sort(key=lambda item: (item["key"], item["item"]))
        return [item.get("text", "") for item in items if not item.get("deleted")]


secret = secrets.token_hex(32)  # who you are: keep it, and count on from the `last` in your next `welcome`
site = hashlib.sha256(bytes.fromhex(secret)).hexdigest()[:32]
rows = Rows()  # keeps what `hear` is told of items


def new_item():  # 64 random bits in base 32
    number = secrets.randbits(64)
    return "".join("0123456789abcdefghjkmnpqrstvwxyz"[number >> 5 * place & 31] for place in range(12, -1, -1))


with connect(sys.argv[1], subprotocols=["betwixt.1.json"]) as link:
    def hear():
        [(kind, said)] = json.loads(link.recv()).items()
        if kind in ("refused", "unreadable", "skipped", "closing", "gone", "other_list"):
            sys.exit(f"{kind}: {said.get('why', said)}")
        rows.take(kind, said)
        return kind, said

    def push(ctr, **op):  # it is done when it comes back in the log
        link.send(json.dumps({"push": {"list": uid, "ops": [{"ctr": ctr, **op}]}}))
        while not any((entry["op"]["site"], entry["op"]["ctr"]) == (site, ctr) for entry in hear()[1].get("entries", [])):
            pass

    link.send(json.dumps({"hello": {"secret": secret, "name": sys.argv[2], "person": "script"}}))
    uid = next(said["uid"] for kind, said in iter(hear, None) if kind == "welcome")
    push(1, join={"name": "script"})  # the first op of a site on a list
    milk, bread, eggs = new_item(), new_item(), new_item()
    push(2, add={"item": milk, "before": None, "text": "milk"})  # before nothing: at the bottom
    push(3, add={"item": eggs, "before": None, "text": "eggs", "due": "2026-11-30"})
    push(4, add={"item": bread, "after": milk, "text": "bread"})  # between the two
    print(", ".join(rows.texts()), flush=True)
    while True:
        for entry in hear()[1].get("entries", []):
            if entry["op"]["site"] != site and "key" in entry["op"].get("put", {}):
                print("moved: " + ", ".join(rows.texts()))
                sys.exit()
