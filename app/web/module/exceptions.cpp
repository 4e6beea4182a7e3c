// The functions that the compiler calls to throw and catch. libc++abi is built without them for
// wasi, so this implements the part of the Itanium C++ ABI that the core needs, using the
// exceptions of WebAssembly. A throw carries the address of the thrown object, which follows a
// Header. At each place that may catch it, the compiled code asks _Unwind_CallPersonality() which
// handler to use. Supports only one thread, and only exceptions of C++.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

// The tag that every throw and catch names: an exception that carries an address.
asm(".tagtype __cpp_exception i32\n"
    ".globl __cpp_exception\n"
    ".weak __cpp_exception\n"
    "__cpp_exception:\n");

namespace __cxxabiv1 {

// Repeats the layout of type_info in libc++abi, which implements can_catch().
class __shim_type_info : public std::type_info {
public:
    ~__shim_type_info() override;
    virtual void noop1() const;
    virtual void noop2() const;
    virtual bool can_catch(const __shim_type_info* thrown, void*& object) const = 0;
};

}  // namespace __cxxabiv1

namespace {

using TypeInfo = __cxxabiv1::__shim_type_info;

struct alignas(std::max_align_t) Header {
    const TypeInfo* type = nullptr;
    void* (*destroy)(void*) = nullptr;  // on wasm, destructors return their argument
    std::size_t references = 0;         // counts the throw, and each exception_ptr
    int handlers = 0;  // handlers that have begun but not ended; negative: rethrown
    Header* caught_before = nullptr;
    void* seen_as = nullptr;  // the object as the last handler sees it, perhaps as a base class
};

Header* last_caught = nullptr;
unsigned uncaught = 0;

Header& header_of(void* object) { return static_cast<Header*>(object)[-1]; }
void* object_of(Header* header) { return header + 1; }

void release(Header* header) {
    if (--header->references > 0) return;
    if (header->destroy != nullptr) header->destroy(object_of(header));
    std::free(header);
}

[[noreturn]] void throw_object(void* object) {
    ++uncaught;
    __builtin_wasm_throw(0, object);
}

// --- the table of handlers, as the compiler writes it for each function

std::uintptr_t read_unsigned(const std::uint8_t*& at) {
    std::uintptr_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const std::uint8_t byte = *at++;
        value |= std::uintptr_t(byte & 0x7fU) << shift;
        if ((byte & 0x80U) == 0) return value;
    }
}

std::intptr_t read_signed(const std::uint8_t*& at) {
    std::intptr_t value = 0;
    for (unsigned shift = 0;;) {
        const std::uint8_t byte = *at++;
        value |= std::intptr_t(byte & 0x7fU) << shift;
        shift += 7;
        if ((byte & 0x80U) != 0) continue;
        const bool negative = (byte & 0x40U) != 0 && shift < 32;
        return negative ? value | static_cast<std::intptr_t>(~std::uintptr_t{0} << shift) : value;
    }
}

// The types that handlers name, counted from the end, and the actions at one place.
struct Actions {
    const TypeInfo* const* types = nullptr;
    const std::uint8_t* first = nullptr;  // nullptr: only destructors run at this place
};

Actions actions_at(const std::uint8_t* table, std::uintptr_t place) {
    constexpr std::uint8_t omitted = 0xff;
    Actions actions;
    ++table;  // skip the encoding of the start, which is always omitted
    if (*table++ != omitted) {
        const std::uintptr_t offset = read_unsigned(table);
        actions.types = reinterpret_cast<const TypeInfo* const*>(table + offset);
    }
    ++table;  // skip the encoding of places, which are numbers
    const std::uintptr_t length = read_unsigned(table);
    const std::uint8_t* const end = table + length;
    for (std::uintptr_t k = 0; table < end; ++k) {
        read_unsigned(table);  // skip the place itself, as places are in order
        const std::uintptr_t action = read_unsigned(table);
        if (k == place && action != 0) actions.first = end + action - 1;
    }
    return actions;
}

// Returns the number of the handler for the exception; 0 if there is none.
std::uintptr_t handler_for(Header& header, const Actions& actions) {
    for (const std::uint8_t* at = actions.first; at != nullptr;) {
        const std::intptr_t handler = read_signed(at);
        const std::uint8_t* const link = at;
        const std::intptr_t next = read_signed(at);
        header.seen_as = object_of(&header);
        if (handler > 0) {
            const TypeInfo* const type = actions.types[-handler];
            if (type == nullptr || type->can_catch(header.type, header.seen_as))
                return static_cast<std::uintptr_t>(handler);
        }
        at = next == 0 ? nullptr : link + next;
    }
    return 0;
}

}  // namespace

extern "C" {

// The arguments and the result of _Unwind_CallPersonality(): compiled code writes `place` and
// `table` before it calls the function, and reads `handler` afterwards.
struct LandingPad {
    std::uintptr_t place;
    const std::uint8_t* table;
    std::uintptr_t handler;
};
LandingPad __wasm_lpad_context = {};

int _Unwind_CallPersonality(void* object) {
    LandingPad& pad = __wasm_lpad_context;
    pad.handler = handler_for(header_of(object), actions_at(pad.table, pad.place));
    return 0;
}

void* __cxa_allocate_exception(std::size_t size) noexcept {
    void* const room = std::malloc(sizeof(Header) + size);
    if (room == nullptr) std::terminate();
    return object_of(new (room) Header);
}

void __cxa_free_exception(void* object) noexcept { std::free(&header_of(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
    Header& header = header_of(object);
    header.type = static_cast<const TypeInfo*>(type);
    header.destroy = destroy;
    header.references = 1;
    throw_object(object);
}

void* __cxa_begin_catch(void* object) noexcept {
    Header& header = header_of(object);
    header.handlers = header.handlers < 0 ? 1 - header.handlers : header.handlers + 1;
    if (last_caught != &header) {
        header.caught_before = last_caught;
        last_caught = &header;
    }
    --uncaught;
    return header.seen_as;
}

void* __cxa_get_exception_ptr(void* object) noexcept { return header_of(object).seen_as; }

void __cxa_end_catch() {
    Header* const header = last_caught;
    if (header == nullptr) return;
    const bool again = header->handlers < 0;
    header->handlers += again ? 1 : -1;
    if (header->handlers != 0) return;
    last_caught = header->caught_before;
    if (!again) release(header);
}

[[noreturn]] void __cxa_rethrow() {
    if (last_caught == nullptr) std::terminate();
    last_caught->handlers = -last_caught->handlers;
    throw_object(object_of(last_caught));
}

// --- for std::exception_ptr and std::uncaught_exceptions

void __cxa_increment_exception_refcount(void* object) noexcept {
    if (object != nullptr) ++header_of(object).references;
}

void __cxa_decrement_exception_refcount(void* object) noexcept {
    if (object != nullptr) release(&header_of(object));
}

void* __cxa_current_primary_exception() noexcept {
    if (last_caught == nullptr) return nullptr;
    ++last_caught->references;
    return object_of(last_caught);
}

// Throws the same object again, with one more reference, because an exception_ptr still holds it.
void __cxa_rethrow_primary_exception(void* object) {
    if (object == nullptr) return;
    ++header_of(object).references;
    throw_object(object);
}

unsigned __cxa_uncaught_exceptions() noexcept { return uncaught; }
bool __cxa_uncaught_exception() noexcept { return uncaught > 0; }
}

// Replaces the operators of libc++, which end the module if there is no memory.
void* operator new(std::size_t bytes) {
    if (void* const room = std::malloc(bytes > 0 ? bytes : 1)) return room;
    throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* room) noexcept { std::free(room); }
void operator delete[](void* room) noexcept { std::free(room); }
void operator delete(void* room, std::size_t) noexcept { std::free(room); }
void operator delete[](void* room, std::size_t) noexcept { std::free(room); }
