def read_npy(data):
    wide = data[6] > 1
    start = 12 if wide else 10
    end = start + int.from_bytes(data[8:start], "little")
    header = ast.literal_eval(data[start:end].decode("latin1"))
    kind = {"f2": torch.float16, "f4": torch.float32, "f8": torch.float64}[header["descr"][1:]]
    shape = header["shape"]
    size = math.prod(shape) * torch.finfo(kind).bits // 8
    numbers = torch.frombuffer(bytearray(data[end:end + size]), dtype=kind).double()
    if header["fortran_order"]:
        return numbers.reshape(shape[::-1]).permute(*reversed(range(len(shape))))
    return numbers.reshape(shape)
