/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The bytes of numbers and the check sum, against values that were worked out by hand.  */
#include "crc32c.h"
#include "wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
    uint64_t value;
    size_t size;
    uint8_t bytes[EMLAT_LEB128_MAX];
} unsigneds[] = {
    {0, 1, {0}},
    {1, 1, {1}},
    {127, 1, {0x7f}},
    {128, 2, {0x80, 1}},
    {300, 2, {0xac, 2}},
    {UINT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
};

static const struct {
    int64_t value;
    size_t size;
    uint8_t bytes[EMLAT_LEB128_MAX];
} signeds[] = {
    {0, 1, {0}},
    {63, 1, {0x3f}},
    {64, 2, {0xc0, 0}},
    {127, 2, {0xff, 0}},
    {128, 2, {0x80, 1}},
    {-1, 1, {0x7f}},
    {-64, 1, {0x40}},
    {-65, 2, {0xbf, 0x7f}},
    {-128, 2, {0x80, 0x7f}},
    {INT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}},
    {INT64_MIN, 10, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}},
};

static void unsigned_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unsigneds / sizeof *unsigneds; i++) {
        uint8_t bytes[EMLAT_LEB128_MAX];
        struct emlat_put put = emlat_put_to(bytes, sizeof bytes);
        emlat_put_u(&put, unsigneds[i].value);
        assert_int_equal(put.at - bytes, unsigneds[i].size);
        assert_memory_equal(bytes, unsigneds[i].bytes, unsigneds[i].size);
        struct emlat_get get = emlat_get_from(bytes, unsigneds[i].size);
        assert_true(emlat_get_u(&get) == unsigneds[i].value && !get.failed);
        get = emlat_get_from(bytes, unsigneds[i].size - 1);
        emlat_get_u(&get);
        assert_true(get.failed);
    }
}

static void signed_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof signeds / sizeof *signeds; i++) {
        uint8_t bytes[EMLAT_LEB128_MAX];
        struct emlat_put put = emlat_put_to(bytes, sizeof bytes);
        emlat_put_s(&put, signeds[i].value);
        assert_int_equal(put.at - bytes, signeds[i].size);
        assert_memory_equal(bytes, signeds[i].bytes, signeds[i].size);
        struct emlat_get get = emlat_get_from(bytes, signeds[i].size);
        assert_true(emlat_get_s(&get) == signeds[i].value && !get.failed);
    }
}

static void every_shift_comes_back(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int delta = -1; delta <= 1; delta++) {
            uint64_t value = ((uint64_t)1 << shift) + (uint64_t)delta;
            uint8_t bytes[2 * EMLAT_LEB128_MAX];
            struct emlat_put put = emlat_put_to(bytes, sizeof bytes);
            emlat_put_u(&put, value);
            emlat_put_s(&put, (int64_t)value);
            struct emlat_get get = emlat_get_from(bytes, (size_t)(put.at - bytes));
            assert_true(emlat_get_u(&get) == value);
            assert_true(emlat_get_s(&get) == (int64_t)value);
            assert_true(!get.failed && !emlat_get_left(&get));
        }
    }
}

static void impossible_numbers_fail(void **state)
{
    static const uint8_t past_64[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2};
    static const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
    static const uint8_t wrong_sign[] = {0x80, 0x80, 0x80, 0x80, 0x80,
                                         0x80, 0x80, 0x80, 0x80, 0x3f};
    (void)state;
    struct emlat_get get = emlat_get_from(past_64, sizeof past_64);
    emlat_get_u(&get);
    assert_true(get.failed);
    get = emlat_get_from(eleven, sizeof eleven);
    emlat_get_u(&get);
    assert_true(get.failed);
    get = emlat_get_from(eleven, sizeof eleven);
    emlat_get_s(&get);
    assert_true(get.failed);
    get = emlat_get_from(wrong_sign, sizeof wrong_sign);
    emlat_get_s(&get);
    assert_true(get.failed);
    assert_true(emlat_get_u(&get) == 0 && emlat_get_le(&get, 8) == 0); /* sticky */
}

static void fixed_numbers(void **state)
{
    uint8_t bytes[14];
    static const uint8_t wanted[14] = {2, 1, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1};
    (void)state;
    struct emlat_put put = emlat_put_to(bytes, sizeof bytes);
    emlat_put_le(&put, 0x0102, 2);
    emlat_put_le(&put, 0x01020304, 4);
    emlat_put_le(&put, 0x0102030405060708, 8);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    emlat_put_le(&put, 1, 2);
    assert_true(put.failed);
    struct emlat_get get = emlat_get_from(bytes, sizeof bytes);
    assert_true(emlat_get_le(&get, 2) == 0x0102 && emlat_get_le(&get, 4) == 0x01020304 &&
                emlat_get_le(&get, 8) == 0x0102030405060708);
}

static void crc_has_its_check_value(void **state)
{
    int supported;
    (void)state;
    assert_int_equal(emlat_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(emlat_crc32c_table(0, "123456789", 9), 0xe3069283);
    assert_int_equal(emlat_crc32c(0, "", 0), 0);
    uint32_t crc = emlat_crc32c_hardware(0, "123456789", 9, &supported);
    if (supported)
        assert_int_equal(crc, 0xe3069283);
}

static void crc_by_table_is_crc_by_instruction(void **state)
{
    uint8_t bytes[300];
    int supported;
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    for (size_t begin = 0; begin < 9; begin++) {
        for (size_t size = 0; size + begin < sizeof bytes; size++) {
            uint32_t table = emlat_crc32c_table(0, bytes + begin, size);
            uint32_t hardware = emlat_crc32c_hardware(0, bytes + begin, size, &supported);
            if (supported)
                assert_int_equal(hardware, table);
            uint32_t part = emlat_crc32c(0, bytes + begin, size / 3);
            assert_int_equal(emlat_crc32c(part, bytes + begin + size / 3, size - size / 3), table);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_numbers),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(every_shift_comes_back),
        cmocka_unit_test(impossible_numbers_fail),
        cmocka_unit_test(fixed_numbers),
        cmocka_unit_test(crc_has_its_check_value),
        cmocka_unit_test(crc_by_table_is_crc_by_instruction),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
