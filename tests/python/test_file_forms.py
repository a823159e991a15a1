"""Files of torch.save in all their forms: written by PyTorch 2.11, of the old kind, mapped, moved to other places; storages as
they are compared by libraries."""

import base64
import collections
import copy
import io
import mmap
import os
import pickle
import struct
import tarfile
import zlib

import pytest
from pickle_weapons import DATA, archive, stored, tensor

import karat
from karat import serialization

# What PyTorch 2.11 wrote of the objects that test_files_of_pytorch lists: as an archive, and as an old file.
ZIPPED = (
    'c-qBR%X8aA7?<tDNtHHD3p8zkmNzc6u5I}dnzjjUF%JQa)d!|fR9W6wN^QxXv`&+PX`r|?EsqwM;l{uj4%|2b!*GS+HN!B>zzhdqIPeE>VRt1vl1iF1Wk6$D'
    'mbJgf_wBde+7n`=hvWMDxyz0rZat@1s-{n)ofQQu@y3Z-AwS3+^&NBJ7I3i=;o!=OjUc3AlYruK6YDjbmn~Fo>a~iDkzt#bJe}ep9E+9u$atHKRH_If4umh%'
    'Oa&iwzT}~&6e431&|8X-tJ-KnRE%QiD~g;LZ9~5pYQw5|RW)lhq+;DPZ2o{%K^Cg)*Hz2|zfFPx467wr!`w9#3&WsB#I=alqxEWxZf#Kvi{Um5QMz^W8bz(g'
    'aGeC#Gkq0qa3HS7eP+E;Lo<G>8`#h!3=_^UhK<xB;oL+yH#?j+Vz^0yn@eHJIR#r>9~(3mv(?4iLNT{GnA=)#JF~8u#uVIf&c<-31a~nGy$*MGVqxkjh!Lh9'
    '4BLugh%((n-|lsowzpshOQV6R5T`^tB}lMun#n9AmzXnwhtxt2;_kfhhYdX2K$UJ91ZG5lv|}XWhLoit<s2g;ZW^1qfs<Jt?!&N4f>8!+!0ttSkf~GZ2qQ~A'
    'sbfvHv4V-*o|rEIY1r$ea?I5or@Hq$x_J!yB-nqB-8|5O0*f6hRd`U0kaRpG!NZKjfJZteoah%^Oj>4LrV+Cu7KyqW%pqqWJnC_ifyW#-kGpOTP&X5fn<56O'
    '1qa#O8YV_?h|Q^{!(rm(hy+itd$R&1HvUOQslZV&WVhg{(kgN%lY}UAS;EsTIK~D{!!u-nU1m3BkX2bVD@e6@WY7;h9A}D3`LmBfDMiW0nu2vB3FWh(N>E{<'
    'Wd)Eb%QR&2OqTibEJliDDYHCGYRB1_nOUf61f)rzw_!?x6YT4z4K<nprw+1Ecj~|>vSinkSui^lge+aD>8BLBZh5(iuuLACO|onor8RVB+(NVT3aS9K!IHpc'
    'G!--r*iAh7tg9rhX17I5x8bA&Gt3T2<*Y9f8xj6f$Kcr*T_LCq&q>g7pazELeXV4l*)&MO@o>5Yb1^snFNh&Gw=asJW*g2(@Djt9^(wT_4=nV~5X&^3A~?H9'
    'QPYQ=6=s-nXHmh+F*mwN+G7M#YUgPE%+vZgKab&p1g|g`Re0660CMn}Q*y7nC3lfRE;%*-28K5!c&izo5c~SS`SR1z4|_R|o)e4q|6y*R+yCQ}rd3z4JdG@y'
    '<foAD>udu_O8C*AKc1l$=(#xIW-hlt=*BCPGN>ALWZ*(x2y89OI<jeMVC*FPPUk#)MFZ=&v91AH)+XIA3i;8M=yr~pj&Ti95A8j_Y@&-QdPNU|++N?Vx-(J8'
    '@45y94(r?)c^fA$a?X+S-Erz@_~NgZHj)P$mvFS*?<iTw$GGL|`?Noyy7=v_lSAwm#Fcf^e%(|dpWv=O{(nthSc!g!)Ew3P>xVDir)$1v3C(f8X1b8yeJ$nZ'
    '#y>YkJzOkCzoVl4OL*Ar_mC;%N4Wn{KYOkERC{Xby$@E9|J;9{|Fzs`*F(3T=2mJ#;HmOg?^F*j-T$_5sf7m2!uM^&vR*0V<5y`UF_OxTWYf8vkjW;}nOrWH'
    'NF=gCBAd<#xl|@Ik`gi*A(5dj=RUviQ;hhCF_$4~w(HZoCk<WZJorB(i1uzk!+vO#TWl8#l6W_f%|4Ezm*ldYE6C&B2-f*{zV`5RH=rQg+qDOM@FRU(VDAWG'
    'y`9gG{Vj-1E+2cmKY&dIvEJ_I$Nn6|3PG%Q)%dZ8Rt2!><zv4OVlzRkw`2IRB|d=7E?@WCAT}4ode`b&zwQ7R><mG$cL{Cr*OmwT&x?CPj7GP2T0vxorz!fc'
    'cEq{Ptah#hNB^#Kf4FX)UwOSz2Q$dVJ7fO_$h_#+'
)
OLD = (
    'c-noE*>2N76o$Q|DRpTnJ7q0<$`TT%&BE5Qs5cf%&5du6HL*vrk!$C8PQoHZ%1u$*XW)WM-U1|^hDSi+f-`m~R0J%K<#XoD`Tl=qhT4u1{rIr<ec{!o=kw*E'
    '_T-yR-vKBkXHHR+Zkk}?C6U|bsR)x8R4Q<0XeJ5~BkuCp4_OS_mSa#7-*&kx!gpMNK7c~WnV_Tyk`!UW(j1+lFh(d^1*af;Byk5OtwOK&iz%~hCOD`bCaD*c'
    '-5!RKFx-^4dtv0e$YYVDZr?OOE0vr{*`F#|hl8FkG1j7l;fp+JK*5=%npUl~T&p%KtwyC*Z^A?-#q0J+O7SVe<hrF;#ZA~}shcph?UCb%dq{?b@htUu%KgWo'
    'hXxpnHcTVzw_zsJ+GS*IHXtd19*jjD2y(>Sx}{m#CLENAL)(GubQs}?4M!bSih*N!n~{r0$woKgZ}yrw{+m!~G|Z-1H<#c95i}yqOA|ymDG8@?!fAvvHk{1}'
    'T{!oTO(hp>gCkGf*C7V3K!yZcDE;k=sFk`|Z#Lolh<af}y(p=da_VJ-D>hu+%7W4W7PIX})`4r5E)cHUaKq6kmH2QoD=KFS8Qii|F@TCQMUhLAn9q<wbpU2o'
    '(1#ioh;|mVVaap7#OIzccr1SmSk6v`wZDFbx>J-_jA0m8q46G?HncJw?XUy4cczuyN6p%G;LdozwPmxu1b0V%?~VN4mws1ri>n9^Y<MVd@k@D&$1GRJ?V&dA'
    'IQ4P2sKCqGuHNB_9RH7%ReEU*zZ8`}pFMLlKCb=*iNXQf'
)
ONE = b"\x80\x02" + tensor() + b"."


def file_of(text):
    return io.BytesIO(zlib.decompress(base64.b85decode(text)))


def through(obj, load=(), **save):
    file = io.BytesIO()
    karat.save(obj, file, **save)
    file.seek(0)
    return karat.load(file, **dict(load))


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_of_pytorch(weights_only):
    one = karat.load(file_of(ZIPPED), weights_only=weights_only)
    old = karat.load(file_of(OLD), weights_only=weights_only)
    for found in (one, old, through(one), through(old, _use_new_zipfile_serialization=False)):
        assert found["base"].tolist() == [0, 1, 2, 3, 4, 5] and found["part"].tolist() == [2, 3]
        assert found["part"].untyped_storage() is found["base"].untyped_storage() and found["part"].storage_offset() == 2
        assert found["c"].tolist() == [1 + 2j, 3 - 4j] and found["p"].tag == 3 and isinstance(found["p"], karat.nn.Parameter)
        assert found["od"] == {"a": 1} and found["od"]._metadata == {"v": 1} and found["b"] == b"ab\xff" and found["big"] == 2**80
        assert found["g"].requires_grad and not found["base"].requires_grad
    for found in (one, through(one)):
        assert found["cj"].is_conj() and found["cj"].tolist() == [1 - 2j, 3 + 4j]
        assert found["cj"].untyped_storage() is found["c"].untyped_storage()
        assert found["im"].is_neg() and found["im"].tolist() == [-2, 4] and found["u16"].tolist() == [1, 2]
        assert found["n"].note == "hi" and found["ba"] == bytearray(b"xy") and list(found["us"]) == [0, 0, 128, 63]
        assert found["lay"] is karat.strided and found["dev"] == karat.device("cpu") and found["st"] == {1, 2}
        assert found["cnt"] == collections.Counter("ab") and found["meta"].is_meta


def test_lazy_bits_are_written_as_pytorch_writes_them():
    c = karat.tensor([1 + 2j])
    pickled = bytes(karat._archive.Read(io.BytesIO(saved({"c": c, "j": c.conj()}))).read("data.pkl"))
    assert pickled.count(b"ComplexFloatStorage") == 1 and b"X\x04\x00\x00\x00conj" in pickled
    with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data as different types"):
        saved([c, c.real])


def saved(obj, **options):
    file = io.BytesIO()
    karat.save(obj, file, **options)
    return file.getvalue()


def test_the_same_object_is_the_same_file():
    first, same, other = ({"a": karat.full((3,), n), "b": [1]} for n in (1., 1., 2.))
    assert saved(first) == saved(same) != saved(other)


def test_old_files_in_a_row():
    file = io.BytesIO(b"head")
    file.seek(4)
    for n in range(3):
        karat.save({"t": karat.full((n + 1,), n)}, file, _use_new_zipfile_serialization=False)
    file.write(b"tail")
    file.seek(4)
    assert [karat.load(file)["t"].tolist() for _ in range(3)] == [[0], [1, 1], [2, 2, 2]] and file.read() == b"tail"
    moved = through(karat.ones(2), {"map_location": "meta"}, _use_new_zipfile_serialization=False)
    assert moved.is_meta and moved.shape == (2,)


def test_old_files_that_lie():
    head = b"".join(pickle.dumps(one, 2) for one in (serialization.MAGIC_NUMBER, serialization.PROTOCOL_VERSION, {}))
    keys, content = pickle.dumps(["0"], 2), struct.pack("<q", 4) + DATA
    assert karat.load(io.BytesIO(head + ONE + keys + content)).tolist() == [1, 2]
    part = b"\x80\x02" + tensor(storage=stored()[:-2] + b"(X\x01\x00\x00\x001K\x01K\x02ttQ") + b"."
    assert karat.load(io.BytesIO(head + part + keys + content)).tolist() == [2, 3]
    outside = part.replace(b"K\x01K\x02ttQ", b"K\x03K\x02ttQ")
    for file, error, what in (
            (pickle.dumps(5, 2), RuntimeError, "Invalid magic number; corrupt file"),
            (pickle.dumps(serialization.MAGIC_NUMBER, 2) + pickle.dumps(1002, 2), RuntimeError, "Invalid protocol version: 1002"),
            (head + ONE + keys, EOFError, "the file ends before its storages do"),
            (head + ONE + pickle.dumps([], 2), EOFError, "the file ends before its storages do"),
            (head + ONE + keys + struct.pack("<q", 5) + DATA * 2, RuntimeError, "wrong size: expected 4 elements, got 5"),
            (head + ONE + keys + struct.pack("<q", -1) + DATA * 2, RuntimeError, "storage has wrong size"),
            (head + ONE + pickle.dumps(["7"], 2) + content, pickle.UnpicklingError, "a storage that nothing in it uses"),
            (head + outside + keys + content, pickle.UnpicklingError, "lies outside of it"),
            (head + b"\x80\x02" + stored(count=b"J\x00\x00\x00\x7f") + b".", EOFError, "the file ends before its storages do")):
        with pytest.raises(error, match=what):
            karat.load(io.BytesIO(file))


def test_archives_of_tar_and_of_programs():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("storages"))
    for weights_only, error, what in ((True, RuntimeError, "Cannot use ``weights_only=True`` with files saved in the legacy"),
                                      (False, NotImplementedError, "legacy .tar format")):
        file.seek(0)
        with pytest.raises(error, match=what):
            karat.load(file, weights_only=weights_only)
    for weights_only, error, what in ((True, RuntimeError, "Cannot use ``weights_only=True`` with TorchScript archives"),
                                      (False, NotImplementedError, "compiled programs are not read")):
        with pytest.raises(error, match=what):
            karat.load(archive(ONE, [("constants.pkl", b"")]), weights_only=weights_only)


# ---- where storages go ----


def test_places():
    asked = []

    def place(storage, location):
        asked.append((type(storage), location, storage.nbytes()))
        return storage if len(asked) == 1 else None

    for where in (None, "cpu", karat.device("cpu"), {"cuda": "meta"}, place, place):
        assert karat.load(archive(ONE), map_location=where).tolist() == [1, 2]
    assert asked == [(karat.UntypedStorage, "cpu", 16)] * 2
    for where in ("meta", karat.device("meta"), {"cpu": "meta"}):
        assert karat.load(archive(ONE), map_location=where).is_meta
    assert karat.load(archive(b"\x80\x02" + tensor(storage=stored(location="meta")) + b".")).is_meta
    huge = b"\x80\x02" + stored(count=b"\x8a\x05\x00\x00\x00\x00\x10", location="meta") + b"."
    assert len(karat.load(archive(huge))) == 1 << 36
    for where, error, what in ((3, TypeError, "'int' object is not callable"),
                               (lambda *_: 3, TypeError, "'wrap_storage' must be UntypedStorage, but got <class 'int'>"),
                               ("nope", RuntimeError, "don't know how to restore data location of torch.storage.UntypedStorage")):
        with pytest.raises(error, match=what):
            karat.load(archive(ONE), map_location=where)
    if not karat.cuda.is_available():
        with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but torch.cuda.is_available"):
            karat.load(archive(ONE), map_location="cuda")


@pytest.mark.cpu_only("the location is the host's")
def test_packages():
    before = list(serialization._packages)
    serialization.register_package(5, lambda storage: "mine:1" if storage.nbytes() == 8 else None,
                                   lambda storage, location: storage if location.startswith("mine") else None)
    try:
        assert serialization.location_tag(karat.ones(2).untyped_storage()) == "mine:1"
        assert serialization.location_tag(karat.ones(3).untyped_storage()) == "cpu"
        file = saved(karat.ones(2))
        assert karat.load(io.BytesIO(file)).tolist() == [1, 1]
    finally:
        serialization._packages[:] = before
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location .*\(tagged with mine:1\)"):
        karat.load(io.BytesIO(file))
    storage = karat.ones(1).untyped_storage()
    assert serialization.default_restore_location(storage, "cpu") is storage


@pytest.mark.cpu_only("pages of a file are the host's memory")
def test_mapped_files(tmp_path):
    path = tmp_path / "x.pt"
    karat.save({"t": karat.arange(10), "e": karat.empty(0)}, path)
    before = path.read_bytes()
    mapped = karat.load(path, mmap=True)
    mapped["t"][0] = 7
    assert mapped["t"].tolist() == [7, 1, 2, 3, 4, 5, 6, 7, 8, 9] and path.read_bytes() == before and mapped["e"].shape == (0,)
    karat.save({"t": mapped["t"] + 1}, path)  # the file is another one: the pages stay
    assert mapped["t"][9] == 9
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        assert serialization.get_default_mmap_options() == mmap.MAP_SHARED
        shared = karat.load(path, mmap=True)["t"]
        shared.fill_(5)
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    with pytest.warns(UserWarning, match="or was changed after it was saved"):
        assert karat.load(path)["t"].tolist() == [5] * 10
    lies = bytearray(archive(ONE).getvalue())
    entry = lies.rindex(b"PK\1\2", 0, lies.rindex(b"PK\1\2"))  # of data/0: 16 bytes are there, it says 32
    lies[entry + 24:entry + 28] = struct.pack("<L", 32)
    (tmp_path / "lies.pt").write_bytes(lies.replace(b"K\x04tQ", b"K\x08tQ"))
    with pytest.raises(RuntimeError, match="invalid header or archive is corrupted"):
        karat.load(tmp_path / "lies.pt", mmap=True)
    for file, error, what in ((io.BytesIO(before), ValueError, "f must be a file path in order to use the mmap argument"),
                              (old_file(tmp_path), RuntimeError, "mmap can only be used with files saved with"),
                              (packed_file(tmp_path), RuntimeError, "it is compressed, and so it cannot be mapped")):
        with pytest.raises(error, match=what):
            karat.load(file, mmap=True)
    with pytest.raises(ValueError, match="Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or"):
        serialization.set_default_mmap_options(7)


def old_file(folder):
    karat.save(karat.ones(2), folder / "old.pt", _use_new_zipfile_serialization=False)
    return folder / "old.pt"


def packed_file(folder):
    (folder / "packed.pt").write_bytes(archive(ONE, compression=8).getvalue())
    return folder / "packed.pt"


def test_data_may_be_skipped(tmp_path):
    path, whole = tmp_path / "x.pt", tmp_path / "y.pt"
    with serialization.skip_data():
        karat.save({"t": karat.arange(100)}, path)
    karat.save({"t": karat.arange(100)}, whole)
    assert os.path.getsize(path) == os.path.getsize(whole)
    assert karat.load(path)["t"].tolist() == [0] * 100
    begin, size = karat._archive.Read(open(path, "rb")).place("data/0")
    with open(path, "r+b") as file:  # somebody writes the bytes later: there is no checksum for them
        file.seek(begin)
        file.write(karat.arange(100)._bytes())
    assert karat.load(path)["t"].tolist() == list(range(100)) and size == 800
    with serialization.skip_data():
        assert karat.load(path)["t"].shape == (100,)


def test_names_that_libraries_take():
    for name in """MAP_LOCATION FileLike STORAGE Storage MAGIC_NUMBER PROTOCOL_VERSION LONG_SIZE INT_SIZE SHORT_SIZE MAP_PRIVATE
            MAP_SHARED UNSAFE_MESSAGE SourceChangeWarning DEFAULT_PROTOCOL StorageType""".split():
        assert getattr(serialization, name) is not None
    assert issubclass(serialization.SourceChangeWarning, Warning)
    assert serialization.StorageType("FloatStorage").dtype is karat.float32
    assert serialization.normalize_storage_type(karat.FloatStorage) is karat.FloatStorage
    with serialization.mkdtemp() as path:
        assert os.path.isdir(path)
    assert karat.utils.serialization.config.save.compute_crc32 is True and karat.utils.serialization.config.load.mmap is False
    assert serialization.check_module_version_greater_or_equal(pytest, (1, 0))
    assert not serialization.check_module_version_greater_or_equal(pytest, (1000, 0))


# ---- storages as libraries compare them ----


@pytest.mark.cpu_only("memory of the host")
def test_a_storage_is_one_object():
    t = karat.arange(4)
    storage = t.untyped_storage()
    assert all(one.untyped_storage() is storage for one in (t, t[1:], t.detach(), t.view(2, 2)))
    assert t.storage()._cdata == t[2:].storage()._cdata == storage._cdata and t.storage() == t[1:].storage()
    other = t.clone().untyped_storage()
    assert other != storage and other._cdata != storage._cdata and len({storage, other, t.untyped_storage()}) == 2
    copied = copy.deepcopy([storage, t])
    assert copied[0] == copied[1].untyped_storage() != storage and copied[0].tolist() == storage.tolist()
    pickled = pickle.loads(pickle.dumps(storage))
    assert pickled.tolist() == storage.tolist() and pickled != storage and pickled._cdata == pickled._tensor._storage_identity()
    cdata = t.untyped_storage()._cdata
    del storage
    assert t.untyped_storage()._cdata == cdata


def test_empty_storages_and_those_of_the_meta_device_are_told_apart():
    a, b = karat.empty(0), karat.empty(0)
    assert a.untyped_storage()._cdata != b.untyped_storage()._cdata and a.untyped_storage() != b.untyped_storage()
    assert a.untyped_storage() is a.view(0, 1).untyped_storage() and a.untyped_storage().data_ptr() == 0
    m = karat.empty(3, device="meta")
    assert m.untyped_storage() is m[1:].untyped_storage()
    assert m.untyped_storage() != karat.empty(3, device="meta").untyped_storage()


@pytest.mark.cpu_only("memory of the host")
def test_tensors_of_storages_share_their_bytes():
    storage = karat.ones(2).untyped_storage()
    t = karat.tensor(storage, dtype=karat.float32)
    assert t.tolist() == [1, 1] and t.untyped_storage() is storage
    assert karat.tensor(storage).tolist() == [0x3f8000003f800000]
    assert karat.as_tensor(storage, dtype=karat.int32).tolist() == [0x3f800000] * 2
    assert karat.asarray(storage, dtype=karat.float32).tolist() == karat.FloatTensor(storage).tolist() == [1, 1]
    assert karat.tensor(karat.UntypedStorage(5).fill_(1), dtype=karat.int32).tolist() == [0x01010101]
    assert karat.tensor(karat.ones(2).storage()).tolist() == [1, 1] and karat.ones(1).new_tensor(storage).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="Expected a Storage of type Double or an UntypedStorage, but got Float"):
        karat.tensor(karat.ones(2).storage(), dtype=karat.float64)


@pytest.mark.cpu_only("memory of the host")
def test_bytes_of_a_storage_are_set():
    storage = karat.UntypedStorage([1, 2, 3])
    for index, value, after in ((0, 7, [7, 2, 3]), (slice(0, 2), 4, [4, 4, 3]), (0, 300, [44, 4, 3]), (0, -1, [255, 4, 3]),
                                (0, True, [1, 4, 3])):
        storage[index] = value
        assert storage.tolist() == after
    for index, value, what in ((5, 1, "out of bounds"), (-1, 1, "out of bounds"),
                               ("a", 1, "can't index a torch.UntypedStorage with str"),
                               (slice(0, 3, 2), 1, "Trying to slice with a step of 2, but only a step of 1 is supported"),
                               (0, 1.5, "can only set storage content with a int types, but got float instead"),
                               (0, storage, "int types, but got torch.storage.UntypedStorage instead")):
        with pytest.raises(RuntimeError, match=what):
            storage[index] = value
    assert storage.tolist() == [1, 4, 3]


def test_names_that_lead_through_another_module():
    found = b"\x80\x04\x8c\x0ctorch._utils\x8c\x13torch.channels_last\x93."  # so PyTorch writes a memory format in protocol 4
    assert karat.load(archive(found), weights_only=False) is karat.channels_last
