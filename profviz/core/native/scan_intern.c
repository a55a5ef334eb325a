/* Numbers distinct byte strings: an open-addressing table of hashes over one block of bytes. */
#include <stdlib.h>
#include <string.h>

#include "scan_state.h"

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

enum { FIRST_SLOTS = 1024 };

static ALWAYS_INLINE uint64_t load64(const uint8_t *at) {
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
}

static ALWAYS_INLINE uint32_t load32(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, 4);
    return word;
}

/* Both halves of the product of two words, folded together. */
static ALWAYS_INLINE uint64_t mix(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high, low = _umul128(a, b, &high);
    return low ^ high;
#else
    a = (a ^ (a >> 32)) * (b | 1);
    return a ^ (a >> 29);
#endif
}

static ALWAYS_INLINE uint64_t tail_word(const uint8_t *at, size_t size) {
    if (size >= 4)
        return (uint64_t)load32(at) << 32 | load32(at + size - 4);
    if (size == 0)
        return 0;
    return (uint64_t)at[0] << 16 | (uint64_t)at[size >> 1] << 8 | at[size - 1];
}

static uint64_t hash_bytes(uint64_t seed, const uint8_t *at, size_t size) {
    const uint64_t first = UINT64_C(0x9E3779B97F4A7C15), second = UINT64_C(0xD1B54A32D192ED03);
    uint64_t hash = seed ^ mix(size ^ second, first);
    size_t left = size;
    for (; left > 16; left -= 16, at += 16)
        hash = mix(load64(at) ^ first, load64(at + 8) ^ hash);
    if (left >= 8)
        return mix(mix(load64(at) ^ first, load64(at + left - 8) ^ hash), second);
    return mix(mix(tail_word(at, left) ^ first, hash), second);
}

int intern_init(struct intern *intern, uint64_t seed, int with_empty) {
    memset(intern, 0, sizeof(*intern));
    intern->seed = seed;
    intern->slots = calloc(FIRST_SLOTS, sizeof(struct intern_slot));
    if (intern->slots == NULL)
        return -1;
    intern->mask = FIRST_SLOTS - 1;
    return with_empty && intern_bytes(intern, (const uint8_t *)"", 0, 0) == UINT32_MAX ? -1 : 0;
}

void intern_free(struct intern *intern) {
    free(intern->slots);
    free(intern->texts);
    free(intern->bytes);
    memset(intern, 0, sizeof(*intern));
}

const uint8_t *interned_text(const struct intern *intern, size_t number, size_t *size) {
    *size = intern->texts[number].size;
    return intern->bytes + intern->texts[number].offset;
}

/* Four times the slots: the hashes are stored, so that no text is looked at again. */
static int rehash(struct intern *intern) {
    size_t slots = (intern->mask + 1) * 4, old, at;
    struct intern_slot *made;
    if (slots > UINT32_MAX || slots > SIZE_MAX / sizeof(struct intern_slot))
        return -1; /* more than a 32-bit hash can tell apart */
    made = calloc(slots, sizeof(struct intern_slot));
    if (made == NULL)
        return -1;
    for (old = 0; old <= intern->mask; old++) {
        if (intern->slots[old].number == 0)
            continue;
        at = intern->slots[old].hash & (slots - 1);
        while (made[at].number != 0)
            at = (at + 1) & (slots - 1);
        made[at] = intern->slots[old];
    }
    free(intern->slots);
    intern->slots = made;
    intern->mask = slots - 1;
    return 0;
}

static NOINLINE uint32_t intern_new(struct intern *intern, const uint8_t *bytes, size_t size, int is_raw,
                                    uint32_t hash) {
    size_t at, length = size + (is_raw ? 1 : 0);
    struct interned *text;
    if (intern->count >= UINT32_MAX - 2 || intern->used > SIZE_MAX / 2 || length > SIZE_MAX / 4)
        return UINT32_MAX;
    if (intern->count * 2 > intern->mask && rehash(intern) < 0)
        return UINT32_MAX;
    if (grow_block((void **)&intern->texts, &intern->capacity, intern->count + 1, sizeof(struct interned)) < 0 ||
        grow_block((void **)&intern->bytes, &intern->room, intern->used + length + 1, 1) < 0)
        return UINT32_MAX;
    text = &intern->texts[intern->count];
    text->offset = intern->used;
    text->size = length;
    if (is_raw)
        intern->bytes[intern->used] = 0;
    if (size != 0)
        memcpy(intern->bytes + intern->used + (is_raw ? 1 : 0), bytes, size);
    intern->used += length;
    at = hash & intern->mask;
    while (intern->slots[at].number != 0)
        at = (at + 1) & intern->mask;
    intern->slots[at].hash = hash;
    intern->slots[at].number = (uint32_t)++intern->count;
    return (uint32_t)intern->count - 1;
}

uint32_t intern_bytes(struct intern *intern, const uint8_t *bytes, size_t size, int is_raw) {
    uint64_t wide = hash_bytes(is_raw ? ~intern->seed : intern->seed, bytes, size);
    uint32_t hash = (uint32_t)(wide ^ (wide >> 32));
    size_t at = hash & intern->mask, skip = is_raw ? 1 : 0;
    for (; intern->slots[at].number != 0; at = (at + 1) & intern->mask) {
        if (intern->slots[at].hash == hash) {
            uint32_t number = intern->slots[at].number - 1;
            const struct interned *text = &intern->texts[number];
            const uint8_t *held = intern->bytes + text->offset;
            /* no text of a string holds a zero byte, so one at the front tells the two spellings apart */
            if (text->size == size + skip && (size == 0 || memcmp(held + skip, bytes, size) == 0) &&
                (text->size == 0 || (held[0] == 0) == is_raw))
                return number;
        }
    }
    return intern_new(intern, bytes, size, is_raw, hash);
}
