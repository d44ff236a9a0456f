;;; soak.el --- count the commands of soak.py's session  -*- lexical-binding: t -*-
;; Copyright (C) 2026 The emlat developers
;; SPDX-License-Identifier: GPL-3.0-or-later
;;; Commentary:
;; The hook before a command runs once for each command that a loop dispatches, also for keys that
;; are bound to nothing.
;;; Code:

(defvar soak-commands 0 "How many commands were dispatched.")

(add-hook 'pre-command-hook (lambda () (setq soak-commands (1+ soak-commands))))

;; Something is always about to happen.
(run-with-timer 0.5 0.7 (lambda () (garbage-collect)))
(run-with-idle-timer 0.2 t #'ignore)

(defun soak-leave ()
  "Write the count and the recursion depth to the file `commands', and end Emacs."
  (interactive)
  (write-region (format "%d %d" soak-commands (recursion-depth)) nil "commands" nil 'silent)
  (kill-emacs 0))

(setq make-backup-files nil
      auto-save-default nil
      ;; The debugger would take the keys that follow an error for its own.
      eval-expression-debug-on-error nil)

;;; soak.el ends here
