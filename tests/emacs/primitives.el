;;; primitives.el --- what the primitives do in a real session  -*- lexical-binding: t -*-
;; Copyright (C) 2026 The emlat developers
;; SPDX-License-Identifier: GPL-3.0-or-later
;;; Commentary:
;; Loaded by test_primitives.py into an interactive Emacs in a terminal.  Writes TAP to the file
;; that the environment variable EMLAT_TAP names, then leaves.
;;; Code:

(require 'ert)

(defvar primitives-dir (getenv "EMLAT_DIR"))

(defun primitives-file (name)
  "Return the absolute name of NAME in the test's directory."
  (expand-file-name name primitives-dir))

(ert-deftest primitives-available ()
  (should (eq (latency-available-p) t)))

(ert-deftest primitives-existing-file-is-kept ()
  (let ((file (primitives-file "existing")))
    (write-region "precious" nil file nil 'silent)
    (should-error (latency-start file) :type 'file-already-exists)
    (should (equal (with-temp-buffer (insert-file-contents file) (buffer-string)) "precious"))
    (should-not (latency-status))))

(ert-deftest primitives-symlink-is-refused ()
  (let ((link (primitives-file "link")))
    (make-symbolic-link (primitives-file "target") link)
    (should-error (latency-start link) :type 'file-error)
    (should-not (file-exists-p (primitives-file "target")))))

(ert-deftest primitives-missing-folder ()
  (should-error (latency-start (primitives-file "no/such/folder")) :type 'file-error)
  (should-not (latency-status)))

(ert-deftest primitives-wrong-type ()
  (should-error (latency-start 7) :type 'wrong-type-argument)
  (should-error (latency-start "a\0b") :type 'wrong-type-argument))

(ert-deftest primitives-full-disk ()
  ;; The device takes no byte.  It exists, so it is refused as any file would be.
  (should-error (latency-start "/dev/full") :type 'file-already-exists))

(ert-deftest primitives-nothing-to-stop ()
  (should-error (latency-stop))
  (should-error (latency-rotate)))

(ert-deftest primitives-life ()
  (let ((file (primitives-file "life.emlat")))
    (should (equal (latency-start file) file))
    (should-error (latency-start (primitives-file "second.emlat")))
    (should-not (file-exists-p (primitives-file "second.emlat")))
    (should (equal (file-modes file) #o600))
    (should (equal (plist-get (latency-status) :file) file))
    (should (equal (plist-get (latency-status) :records-lost) 0))
    (should (equal (latency-rotate) (primitives-file "life.1.emlat")))
    (should (equal (plist-get (latency-status) :file-sequence) 1))
    (should-error (latency-rotate file) :type 'file-already-exists)
    (should (equal (plist-get (latency-status) :file) (primitives-file "life.1.emlat")))
    (should (equal (latency-rotate (primitives-file "other.emlat"))
                   (primitives-file "other.emlat")))
    (should (eq (latency-stop) t))
    (should-not (latency-status))
    (should-error (latency-stop))))

(ert-deftest primitives-start-again ()
  (dotimes (i 3)
    (latency-start (primitives-file (format "again-%d.emlat" i)))
    (redisplay t)
    (should (eq (latency-stop) t))))

(ert-deftest primitives-rotate-by-size ()
  (should-error (latency-start (primitives-file "size.emlat") -1) :type 'wrong-type-argument)
  (latency-start (primitives-file "size.emlat") 20000)
  (let ((rounds 0))
    (while (and (< (plist-get (latency-status) :file-sequence) 2) (< rounds 500))
      (dotimes (_ 100) (send-string-to-terminal "\e[m"))
      (sleep-for 0.02)
      (setq rounds (1+ rounds))))
  (should (equal (plist-get (latency-status) :file) (primitives-file "size.2.emlat")))
  (should (equal (plist-get (latency-status) :records-lost) 0))
  (latency-stop)
  (should (file-exists-p (primitives-file "size.1.emlat"))))

(ert-deftest primitives-stop-inside-unwinding ()
  (latency-start (primitives-file "unwinding.emlat"))
  (condition-case nil
      (unwind-protect (signal 'error nil) (latency-stop))
    (error nil))
  (should-not (latency-status)))

;; Run alone, by an Emacs whose files may not grow beyond 32 KiB.
(ert-deftest primitives-disk-fills-up ()
  :tags '(small-disk)
  (let ((file (primitives-file "full.emlat")) (rounds 0) (gcs gcs-done))
    (latency-start file)
    (while (and (zerop (plist-get (latency-status) :write-failures)) (< rounds 200))
      (dotimes (_ 100) (send-string-to-terminal "\e[m"))
      (sleep-for 0.01)
      (setq rounds (1+ rounds)))
    (garbage-collect)
    (should (> gcs-done gcs))
    (should (> (plist-get (latency-status) :write-failures) 0))
    (should (> (plist-get (latency-status) :records-lost) 0))
    (should (stringp (plist-get (latency-status) :write-error)))
    (should (<= (file-attribute-size (file-attributes file)) 32768))
    (should-error (latency-stop) :type 'file-error)
    (should-not (latency-status))))

(defun primitives-run ()
  "Run the tests, write TAP, and leave."
  (let ((stats (ert-run-tests (if (getenv "EMLAT_SMALL_DISK") '(tag small-disk)
                                '(not (tag small-disk)))
                              #'ignore))
        (number 0))
    (with-temp-file (getenv "EMLAT_TAP")
      (seq-do (lambda (test)
                (let ((result (ert-test-most-recent-result test)))
                  (insert (format "%s %d - %s\n" (if (ert-test-passed-p result) "ok" "not ok")
                                  (setq number (1+ number)) (ert-test-name test)))
                  (when (ert-test-result-with-condition-p result)
                    (insert (format "# %S\n"
                                    (ert-test-result-with-condition-condition result))))))
              (ert--stats-tests stats))
      (insert (format "1..%d\n" number)))
    (kill-emacs 0)))

(run-with-timer 0.2 nil #'primitives-run)

;;; primitives.el ends here
