"""A device whose memory is used again: the next block of a size is at the address of the last one that was freed."""

from tests.device.emulated import Emulated


class Reusing(Emulated):
    """An emulated GPU that keeps freed blocks by their sizes, and counts what is asked of it."""

    def __init__(self, number: int) -> None:
        super().__init__(name=f"reusing:{number}")
        self.spare: dict[int, list[int]] = {}
        self.asked: list[str] = []

    def alloc(self, nbytes, name=""):
        if not self.spare.get(nbytes):
            return super().alloc(nbytes, name)
        address = self.spare[nbytes].pop()
        self.heap.range(address, nbytes, "alloc")[0].forget()
        return address

    def free(self, address, users=()):
        self.spare.setdefault(self.heap.find(address).nbytes, []).append(address)

    def copy_in(self, address, array):
        self.asked.append("copy_in")
        super().copy_in(address, array)

    def launch(self, *args):
        self.asked.append("launch" if self.recording is None else "record")
        super().launch(*args)

    def capture(self, graph=None):
        self.asked.append("capture" if graph is None else "update")
        return super().capture(graph)


def count():
    return 1


opened = Reusing
