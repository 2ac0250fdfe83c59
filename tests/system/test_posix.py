"""Pages, functions, folders, locks and processes as this system has them."""

import ctypes
import os
import struct
import subprocess
import sys
import threading

import numpy
import pytest

from hybridize import system
from hybridize.system import linux, posix

CODE = {
    "x86_64": bytes.fromhex("8d047f c3"),  # lea eax, [rdi + 2 * rdi]; ret
    "aarch64": bytes.fromhex("0004000b c0035fd6"),  # add w0, w0, w0, lsl #1; ret
}


def test_pages_are_written_then_run():
    pages, code = system.pages(), CODE[system.PROCESSOR]
    place = pages.new(100)
    assert ctypes.string_at(place, 100) == bytes(100)
    ctypes.memmove(place, code, len(code))
    pages.make_executable(place, 100)
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(place)(14) == 42
    pages.give_back(place, 100)


def test_instruction_caches_are_told_what_was_written():
    told = []
    pages = posix.PosixPages(linux._ANONYMOUS, lambda address, nbytes: told.append((address, nbytes)))
    place = pages.new(4096)
    assert told == []
    pages.make_executable(place, 4096)
    pages.give_back(place, 4096)
    assert told == [(place, 4096)]


def test_what_flushes_on_aarch64_takes_a_range(monkeypatch):
    """`__clear_cache` takes both ends; on x86-64 it does nothing, and may be called."""
    flush = linux._flush()
    memory = ctypes.create_string_buffer(64)
    assert flush is None or flush(ctypes.addressof(memory), 64) is None


def test_no_memory_is_an_error_of_the_system():
    with pytest.raises(OSError, match="Cannot allocate memory"):
        system.pages().new(1 << 62)


@pytest.mark.parametrize("name", ["expf", "lgamma", "memcpy", "PyLong_AsLongLong", "aligned_alloc", "free"])
def test_functions_are_where_the_linker_would_find_them(name):
    assert (
        system.function_address(name)
        == ctypes.cast(
            getattr(ctypes.CDLL(None), name, None) or getattr(ctypes.CDLL("libm.so.6"), name), ctypes.c_void_p
        ).value
    )


def test_a_function_that_is_nowhere():
    assert system.function_address("hybridize_has_no_such_function") == 0


def test_words_of_threads_are_functions_and_a_number():
    *functions, number = system.thread_words()
    assert functions == [system.function_address(name) for name in linux.THREADS] and 0 not in functions
    assert number == {"x86_64": 202, "aarch64": 98}[system.PROCESSOR]


def test_large_memory_is_zeros_that_can_be_written():
    memory = system.large_memory(5 << 20)
    whole = numpy.frombuffer(memory, numpy.uint8)
    assert len(whole) == 5 << 20 and not whole[::4096].any()
    whole[-1] = 7
    assert memory[len(whole) - 1] == 7


def test_what_a_file_is_read_as_is_left_alone_by_forgetting(tmp_path):
    import mmap

    path = tmp_path / "file"
    path.write_bytes(b"x" * 3 * mmap.PAGESIZE)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        system.forget(mapped, mmap.PAGESIZE, mmap.PAGESIZE)
        assert mapped[:] == path.read_bytes()


# ----------------------------------------------------------------------------------------------------------- folders


def write(folder, name, content, flags=os.O_WRONLY | os.O_CREAT | os.O_EXCL):
    file = folder.open(name, flags)
    os.write(file, content)
    os.close(file)


def read(folder, name):
    file = folder.open(name)
    try:
        return os.read(file, 100)
    finally:
        os.close(file)


def test_files_of_a_private_folder(tmp_path):
    with system.PrivateFolder(str(tmp_path)) as folder:
        write(folder, "a", b"1")
        assert os.stat(tmp_path / "a").st_mode & 0o777 == 0o600
        folder.rename("a", "b")
        assert folder.link("b", "c") and folder.link("b", "c"), "one that is there is left alone"
        write(folder, "d", b"2")
        assert folder.link("d", "c")
        assert (read(folder, "b"), read(folder, "c")) == (b"1", b"1")
        file = folder.open("d")
        os.utime(tmp_path / "d", (0, 0))
        folder.touch(file, "d")
        assert os.stat(tmp_path / "d").st_mtime > 1e9
        assert folder.is_at(file, "d") and not folder.is_at(file, "b") and not folder.is_at(file, "absent")
        os.close(file)
        folder.remove("b")
        assert sorted(entry.name for entry in folder.scan()) == ["c", "d"]
        with pytest.raises(FileNotFoundError):
            folder.open("b")
        with pytest.raises(FileExistsError):
            write(folder, "c", b"")


def test_a_private_folder_is_the_same_where_another_takes_its_place(tmp_path):
    (tmp_path / "one").mkdir()
    with system.PrivateFolder(str(tmp_path / "one")) as folder:
        write(folder, "a", b"mine")
        (tmp_path / "one").rename(tmp_path / "other")
        (tmp_path / "one").mkdir()
        (tmp_path / "one" / "a").write_text("theirs")
        assert read(folder, "a") == b"mine"


def test_links_in_a_private_folder_are_not_followed(tmp_path):
    (tmp_path / "there").write_text("elsewhere")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "folder").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "folder")
    with system.PrivateFolder(str(tmp_path)) as folder, pytest.raises(OSError, match="symbolic links"):
        folder.open("link")
    with system.PrivateFolder(str(tmp_path / "way")):
        pass
    with pytest.raises(OSError, match="Not a directory"):
        system.PrivateFolder(str(tmp_path / "way"), follow=False)


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_refused_and_closed(tmp_path, mode):
    os.chmod(tmp_path, mode)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(PermissionError, match="others may write"):
        system.PrivateFolder(str(tmp_path))
    assert os.listdir("/proc/self/fd") == before


def test_locks_exclude_each_other(tmp_path):
    files = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(3)]
    assert system.lock_file(files[0], shared=True) and system.lock_file(files[1], shared=True)
    assert not system.lock_file(files[2])
    os.close(files[0])
    assert not system.lock_file(files[2])
    os.close(files[1])
    assert system.lock_file(files[2]) and system.lock_file(files[2], shared=True)
    os.close(files[2])


def test_reserved_bytes_are_there(tmp_path):
    file = os.open(tmp_path / "file", system.READ | os.O_RDWR | os.O_CREAT)
    system.reserve(file, 100_000)
    status = os.fstat(file)
    os.close(file)
    assert status.st_size == 100_000 and status.st_blocks * 512 >= 100_000


def test_files_and_folders_can_be_waited_for(tmp_path):
    (tmp_path / "file").write_text("x")
    system.sync(tmp_path)
    system.sync(str(tmp_path / "file"))
    with pytest.raises(FileNotFoundError):
        system.sync(tmp_path / "absent")


def test_the_folder_of_caches(monkeypatch):
    """As the XDG specification and platformdirs say, but for relative paths, which are ignored."""
    from platformdirs.unix import Unix

    monkeypatch.setenv("HOME", "/users/me")
    for value in ("", "/caches", "/caches/../x"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert linux.cache_folder("program") == Unix("program").user_cache_dir
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert linux.cache_folder("program") == "/users/me/.cache/program"
    monkeypatch.setenv("HOME", "nowhere")
    assert linux.cache_folder("program") == ""


# --------------------------------------------------------------------------------------------------------- processes


def test_a_process_begins_once_and_ends():
    start = system.process_start(os.getpid())
    assert start == system.process_start(os.getpid()) > 0
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert system.process_start(other.pid) >= start
    other.communicate(b"\n")
    assert system.process_start(other.pid) == -1


def test_a_process_that_nobody_has_waited_for_has_ended():
    other = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    other.stdout.read()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert system.process_start(other.pid) == -1
    other.communicate()


def test_processes_where_there_is_no_proc(monkeypatch):
    """In a container without /proc a process is there, or is not; when it began nobody tells."""
    monkeypatch.setattr(linux, "_content", lambda path: b"")
    assert linux.process_start(os.getpid()) == 0
    assert linux.process_start(1 << 30) == -1
    assert linux.boot_name() == ""


def test_names_of_this_machine_and_user():
    assert system.host_name() == os.uname().nodename
    assert system.boot_name() == linux._content("/proc/sys/kernel/random/boot_id").decode().strip()
    assert system.process_space() in ("", os.readlink("/proc/self/ns/pid"))
    assert system.user_name() == str(os.geteuid())


def test_functions_around_forks():
    code = (
        "import os; from hybridize import system; order = [];"
        "system.at_fork(before=lambda: order.append(1), after_in_parent=lambda: order.append(2));"
        "system.at_fork(after_in_child=lambda: order.append(3));"
        "child = os.fork() or os._exit(10 * order[0] + order[1]);"
        "print(order, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[1,", "2]", "13"]


def test_a_killed_process_has_the_code_that_means_it():
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    other.kill()
    other.communicate()
    assert other.returncode == system.KILLED


def test_the_limit_of_open_files_is_raised_and_never_lowered():
    code = (
        "import resource; from hybridize import system; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1];"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard)); system.allow_open_files(150);"
        "first = resource.getrlimit(resource.RLIMIT_NOFILE)[0]; system.allow_open_files(120);"
        "print(first, resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["150", "150"]


def test_a_memory_without_a_name_can_be_mapped():
    memory = system.shared_memory()
    os.ftruncate(memory, 8)
    os.write(memory, struct.pack("<q", 5))
    assert os.pread(memory, 8, 0) == struct.pack("<q", 5)
    os.close(memory)


def test_giving_way_returns():
    threads = [threading.Thread(target=system.give_way) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
