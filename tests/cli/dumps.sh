# Tests files of tensors on the command line. If neither the file nor an option answers a question,
# the message names the option. Tensors that are left out are named.
set -eu
program=$(realpath "$1")
data=$(cd "$(dirname "$0")/../data/dumps" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "dumps.sh: $*" >&2
    exit 1
}

# refuses PART ARGUMENT...: checks that the status is 2, with one line that holds PART
refuses() {
    part=$1
    shift
    status=0
    "$program" "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -F -e "$part" err && [ ! -s out ] ||
        fail "$*: status $status, $(cat err)"
}

# says PART ARGUMENT...: checks that the status is 0, with a line on standard error that holds PART
says() {
    part=$1
    shift
    "$program" "$@" >out 2>err || fail "$*: $(cat err)"
    grep -q -F -e "$part" err || fail "$*: $(cat err)"
}

flash=$data/02-flash-layout.safetensors
for command in "describe" "pytorch" "compute --out d" "export --out a.svg" "worksheet --out a.pdf"; do
    # shellcheck disable=SC2086
    refuses 'has heads or tokens first; the file does not say. Use --axes bhnd or --axes bnhd.' \
        $command "$flash"
    # shellcheck disable=SC2086
    says 'No mask in the file: every key is allowed.' $command "$flash" --axes bnhd
done
"$program" describe "$flash" --axes bnhd --mask causal --scale 0.25 2>err | grep -q 'scale 0.25'
[ ! -s err ] || fail "a mask was named: $(cat err)"
"$program" describe "$flash" --axes bnhd --scale sqrt_d_k 2>err | grep -q 'scale sqrt_d_k'
printf 'a b c d e f' >words
"$program" describe "$flash" --axes bnhd --tokens words 2>err | grep -q ' c: '
refuses '--tokens absent' describe "$flash" --axes bnhd --tokens absent
refuses 'k has 4 axes, not nhd. Use --axes bhnd or --axes bnhd.' describe "$flash" --axes nhd
refuses 'There is no layer 1' describe "$flash" --axes bnhd --layer 1
refuses 'There is no sequence 1: the file has 1 sequence' describe "$flash" --axes bnhd --take 1
refuses 'There is no tensor m for a mask. Use --mask causal or --mask none.' \
    describe "$flash" --axes bnhd --mask m
refuses '--scale: expected a number, sqrt_d_k, sqrt_n_k or none, got "half"' \
    describe "$flash" --scale half
refuses 'apply only to files of tensors' describe lesson:heads --layer 1

cache=$data/01-transformerlens-cache.safetensors
says 'The weights agree with blocks.0.attn.hook_pattern to ' describe "$cache"
grep -q causal out || fail "the mask of the scores: $(cat out)"
says 'The weights differ from blocks.0.attn.hook_pattern by up to 0.79' describe "$cache" --mask none
says 'Not used: blocks.0.attn.hook_attn_scores.' describe "$cache" --mask causal
"$program" describe "$data/13-mask-alone.npy" 2>err | head -n 1 |
    grep -q 'block causal 4; 48 of 64 cells allowed' || fail "a mask alone"
refuses 'There is no mask causal. Use --mask 13-mask-alone or --mask ~13-mask-alone.' \
    describe "$data/13-mask-alone.npy" --mask causal
refuses 'worksheet: --blank: this scene shows no weights; choose from allowed' \
    worksheet "$data/13-mask-alone.npy" --out a.pdf
"$program" worksheet "$data/13-mask-alone.npy" --blank allowed --out a.pdf 2>err
refuses 'There is no layer 1: the file has 1 layer.' describe "$flash" --axes bnhd --layer 1
"$program" describe "$data/attn_output_weights.npy" --axes hnd | grep -q '^1 sequence, 2 heads, ' ||
    fail "an option overrides what the name says"
"$program" describe "$data/attn_output_weights.npy" >out 2>err
! grep -q 'gradient leak' out || fail "weights have no gradient"

# Maskscope does not guess what true means, or what the first of three axes is.
cat >make.py <<'PY'
import json, struct
def save(name, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for key, (kind, shape, numbers) in tensors.items():
        raw = struct.pack("<%d%s" % (len(numbers), {"F32": "f", "BOOL": "?"}[kind]), *numbers)
        header[key] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + data)
metadata = {"axes": "bhnd", "scale": "0.5"}
vectors = ("F32", [1, 1, 3, 2], [1, 2, 3, 4, 5, 6])
later = ("BOOL", [3, 3], [j > i for i in range(3) for j in range(3)])
save("truths.safetensors", {"q": vectors, "k": vectors, "attn_mask": later}, metadata)
save("weights.safetensors", {"attn_weights": ("F32", [2, 2, 2], [1, 0, 0.5, 0.5] * 2)}, {})
save("unnamed.safetensors", {"arr_0": vectors, "arr_1": vectors}, metadata)
many = {f"other.{k}": vectors for k in range(30)}
save("many.safetensors", {"q": vectors, "k": vectors, **many}, metadata)
PY
python3 make.py
refuses 'Choose what True means in the mask; the file does not say. Use --mask attn_mask (true = attend), --mask ~attn_mask (true = blocked), --mask causal or --mask none.' \
    describe truths.safetensors
"$program" describe truths.safetensors --mask '~attn_mask' | grep -q 'mask: causal' || fail "~: $(cat out)"
"$program" describe truths.safetensors --mask attn_mask | grep -q '0 of 3 keys allowed' || fail "no ~"
refuses 'attn_weights [2, 2, 2] has heads or sequences first; the file does not say. Use --axes hnd or --axes bnd.' \
    describe weights.safetensors
"$program" describe weights.safetensors --axes bnd | grep -q '^2 sequences, 1 head, ' || fail "bnd"
"$program" describe weights.safetensors --axes hnd | grep -q '^1 sequence, 2 heads, ' || fail "hnd"
refuses 'Use names such as q and k, or choose them in the window.' describe unnamed.safetensors
says 'Not used: other.0, other.1, ' describe many.safetensors
grep -q 'other.28, other.29\.$' err || fail "not every tensor is named: $(cat err)"

# A correct causal mask passes all tests that apply: `maskscope test` on a file.
"$program" test "$cache" >out 2>err || fail "test: $(cat out err)"
grep -qx 'cache: pass' out && grep -qx 'future: pass' out || fail "test: $(cat out)"

printf 'PK' >model.pt
refuses "s.save_file({k: v.contiguous() for k, v in torch.load('model.pt').items()}, 'model.safetensors')" \
    describe model.pt
