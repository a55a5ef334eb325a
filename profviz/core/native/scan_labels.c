/* An event's name, category and lane as numbers, and which categories mean GPU work. */
#include <string.h>

#include "scan_state.h"

static ALWAYS_INLINE int equals_folded(const uint8_t *text, const uint8_t *lower, size_t size) {
    size_t at;
    for (at = 0; at < size; at++) {
        uint8_t byte = text[at];
        if (byte >= 'A' && byte <= 'Z')
            byte |= 0x20;
        if (byte != lower[at])
            return 0;
    }
    return 1;
}

static uint8_t is_gpu_name(const struct scanner *scanner, const uint8_t *text, size_t size) {
    uint8_t plain[LONGEST_PLAIN];
    const uint8_t *at = scanner->gpu_names, *end = at + scanner->gpu_names_size;
    if (size > 0 && memchr(text, '\\', size) != NULL) {
        size = plain_ascii(text, text + size, plain);
        text = plain;
    }
    while (at < end) {
        size_t known;
        memcpy(&known, at, sizeof(known));
        at += sizeof(known);
        if (known == size && equals_folded(text, at, size))
            return 1;
        at += known;
    }
    return 0;
}

static NOINLINE int learn_categories(struct scanner *scanner) {
    size_t size;
    if (grow_block((void **)&scanner->is_gpu, &scanner->gpu_room, scanner->categories.count, 1) < 0)
        return -1;
    for (; scanner->gpu_known < scanner->categories.count; scanner->gpu_known++) {
        const uint8_t *text = interned_text(&scanner->categories, scanner->gpu_known, &size);
        scanner->is_gpu[scanner->gpu_known] = is_gpu_name(scanner, text, size);
    }
    return 0;
}

static size_t spelled_size(const struct token *token) {
    return is_missing(token) ? 0 : token->size + (token->kind != K_STRING);
}

static uint8_t *spell(const struct token *token, uint8_t *to) {
    if (is_missing(token))
        return to;
    if (token->kind != K_STRING)
        *to++ = 0;
    if (token->size != 0)
        memcpy(to, token->at, token->size);
    return to + token->size;
}

/* A lane's text is a byte that is not zero, the size of pid, then pid and tid. */
enum { LANE_HEAD = 1 + sizeof(size_t) };

static NOINLINE uint32_t intern_lane(struct scanner *scanner, const struct token *pid, const struct token *tid) {
    size_t first = spelled_size(pid), second = spelled_size(tid);
    if (first > SIZE_MAX / 8 || second > SIZE_MAX / 8 ||
        grow_block((void **)&scanner->scratch, &scanner->scratch_room, LANE_HEAD + first + second, 1) < 0)
        return UINT32_MAX;
    scanner->scratch[0] = 1;
    memcpy(scanner->scratch + 1, &first, sizeof(first));
    spell(tid, spell(pid, scanner->scratch + LANE_HEAD));
    return intern_bytes(&scanner->lanes, scanner->scratch, LANE_HEAD + first + second, 0);
}

const uint8_t *lane_text(const struct scanner *scanner, size_t number, size_t *pid_size, size_t *tid_size) {
    size_t size;
    const uint8_t *text = interned_text(&scanner->lanes, number, &size);
    memcpy(pid_size, text + 1, sizeof(*pid_size));
    *tid_size = size - LANE_HEAD - *pid_size;
    return text + LANE_HEAD;
}

/* Up to eight bytes as one word; behind an event's tokens there is always more that may be read. */
static ALWAYS_INLINE uint64_t first_bytes(const uint8_t *at, size_t size) {
    uint64_t word = 0;
#ifdef IS_LITTLE_ENDIAN
    if (size == 0)
        return 0;
    memcpy(&word, at, 8);
    return word & (UINT64_MAX >> (64 - 8 * size));
#else
    memcpy(&word, at, size);
    return word;
#endif
}

static ALWAYS_INLINE uint32_t lane_of(struct scanner *scanner, const struct token *pid, const struct token *tid) {
    size_t first = is_missing(pid) ? 0 : pid->size, second = is_missing(tid) ? 0 : tid->size;
    uint64_t one, two;
    uint32_t shape, lane;
    struct lane_memo *memo;
    if (first > 8 || second > 8)
        return intern_lane(scanner, pid, tid);
    one = first_bytes(pid->at, first);
    two = first_bytes(tid->at, second);
    shape = 1u | (uint32_t)first << 1 | (uint32_t)second << 5 | (uint32_t)pid->kind << 9 | (uint32_t)tid->kind << 13;
    memo = &scanner->lane_memos[((one * 31 + two) * UINT64_C(0x9E3779B97F4A7C15)) >> 58];
    if (LIKELY(memo->shape == shape && memo->pid == one && memo->tid == two))
        return memo->lane;
    lane = intern_lane(scanner, pid, tid);
    if (lane != UINT32_MAX) {
        memo->pid = one;
        memo->tid = two;
        memo->shape = shape;
        memo->lane = lane;
    }
    return lane;
}

static ALWAYS_INLINE uint32_t category_of(struct scanner *scanner, const struct token *token) {
    uint64_t one, two;
    uint32_t number;
    struct category_memo *memo;
    if (token->kind != K_STRING || token->size > 16 || token->size == 0)
        return intern_token(&scanner->categories, token);
    one = first_bytes(token->at, token->size < 8 ? token->size : 8);
    two = token->size > 8 ? first_bytes(token->at + 8, token->size - 8) : 0;
    memo = &scanner->category_memos[((one ^ two * 31) * UINT64_C(0x9E3779B97F4A7C15)) >> 58];
    if (LIKELY(memo->size == token->size && memo->words[0] == one && memo->words[1] == two && memo->number != 0))
        return memo->number - 1;
    number = intern_token(&scanner->categories, token);
    if (number != UINT32_MAX) {
        memo->words[0] = one;
        memo->words[1] = two;
        memo->size = (uint32_t)token->size;
        memo->number = number + 1;
    }
    return number;
}

uint32_t intern_remembered(struct scanner *scanner, const struct token *token, struct value_memo *memo) {
    uint32_t number;
    if (LIKELY(memo != NULL && memo->number != 0))
        return memo->number - 1;
    number = intern_token(&scanner->strings, token);
    if (memo != NULL && number != UINT32_MAX)
        memo->number = number + 1;
    return number;
}

int read_labels(struct scanner *scanner, const struct event *event, struct labels *out) {
    out->name = intern_remembered(scanner, &event->fields[F_NAME], event->name_memo);
    out->category = category_of(scanner, &event->fields[F_CAT]);
    out->lane = lane_of(scanner, &event->fields[F_PID], &event->fields[F_TID]);
    if (UNLIKELY(out->name == UINT32_MAX || out->category == UINT32_MAX || out->lane == UINT32_MAX))
        return -1;
    return scanner->gpu_known < scanner->categories.count ? learn_categories(scanner) : 0;
}
