; The installer for one person, without an administrator. Compiled by
;   python packaging/bundling/windows.py DIST

Unicode true
ManifestDPIAware true
!include "MUI2.nsh"
!include "FileFunc.nsh"

!ifndef VERSION | BUNDLE | ICON | OUT
  !error "VERSION, BUNDLE, ICON and OUT have to be given"
!endif

!define NAME "Batchwright"
!define GONE "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define PROG "Software\Classes\Applications\batchwright.exe"

Name "${NAME}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "Software\${NAME}" "InstallDir"
SetCompressor /SOLID lzma
AllowSkipFiles off  ; a program with a file left out is broken
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "${NAME}"
VIAddVersionKey "LegalCopyright" "The Batchwright authors. MIT licence."

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\batchwright.exe"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
; The first is taken where the system speaks neither.
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

LangString RUNNING ${LANG_ENGLISH} "Batchwright is running. Close its window, end what it does in a terminal, then try again."
LangString RUNNING ${LANG_SIMPCHINESE} "Batchwright 正在运行。请关闭它的窗口，并结束它在终端中的运行，然后重试。"
LangString OPEN_WITH ${LANG_ENGLISH} "Sheet of prompts"
LangString OPEN_WITH ${LANG_SIMPCHINESE} "提示词表格"
LangString DATA_STAYS ${LANG_ENGLISH} "Your batches, keys and results stay where they are."
LangString DATA_STAYS ${LANG_SIMPCHINESE} "您的批次、密钥和结果都会保留。"

; A program that runs holds its file: whoever replaced half of it would break it.
!macro WAIT_UNTIL_CLOSED PROGRAM
  ${Do}
    ${IfNot} ${FileExists} "$INSTDIR\${PROGRAM}"
      ${ExitDo}
    ${EndIf}
    ClearErrors
    FileOpen $0 "$INSTDIR\${PROGRAM}" a
    ${IfNot} ${Errors}
      FileClose $0
      ${ExitDo}
    ${EndIf}
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDRETRY +2
      Abort
  ${Loop}
!macroend

; Explorer shows what programs open a file as it knew it once, until it is told to look again.
!macro TELL_EXPLORER
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'  ; SHCNE_ASSOCCHANGED
!macroend

!macro OFFER_TO_OPEN EXTENSION
  WriteRegStr HKCU "${PROG}\SupportedTypes" "${EXTENSION}" ""
  WriteRegStr HKCU "Software\Classes\${EXTENSION}\OpenWithProgids" "${NAME}.Sheet" ""
!macroend

!macro OFFER_NO_MORE EXTENSION
  DeleteRegValue HKCU "Software\Classes\${EXTENSION}\OpenWithProgids" "${NAME}.Sheet"
  DeleteRegKey /ifnosubkeys /ifnovalues HKCU "Software\Classes\${EXTENSION}\OpenWithProgids"
  DeleteRegKey /ifnosubkeys /ifnovalues HKCU "Software\Classes\${EXTENSION}"
!macroend

Section
  !insertmacro WAIT_UNTIL_CLOSED "batchwright.exe"
  !insertmacro WAIT_UNTIL_CLOSED "batchwright-cli.exe"
  ; What an earlier version had and this one has not must not be loaded by it.
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${BUNDLE}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\batchwright.exe"

  ; "Open with": offered, never taken from the program that opens sheets today.
  WriteRegStr HKCU "Software\Classes\${NAME}.Sheet" "" "$(OPEN_WITH)"
  WriteRegStr HKCU "Software\Classes\${NAME}.Sheet\shell\open\command" "" '"$INSTDIR\batchwright.exe" "%1"'
  WriteRegStr HKCU "${PROG}" "FriendlyAppName" "${NAME}"
  WriteRegStr HKCU "${PROG}\shell\open\command" "" '"$INSTDIR\batchwright.exe" "%1"'
  !insertmacro OFFER_TO_OPEN ".csv"
  !insertmacro OFFER_TO_OPEN ".tsv"
  !insertmacro OFFER_TO_OPEN ".tab"
  !insertmacro OFFER_TO_OPEN ".xlsx"
  !insertmacro OFFER_TO_OPEN ".xlsm"
  !insertmacro OFFER_TO_OPEN ".xlsb"
  !insertmacro OFFER_TO_OPEN ".xls"
  !insertmacro OFFER_TO_OPEN ".ods"
  !insertmacro OFFER_TO_OPEN ".et"
  !insertmacro OFFER_TO_OPEN ".jsonl"
  !insertmacro OFFER_TO_OPEN ".ndjson"

  WriteRegStr HKCU "Software\${NAME}" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "${GONE}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${GONE}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${GONE}" "DisplayIcon" "$INSTDIR\batchwright.exe"
  WriteRegStr HKCU "${GONE}" "Publisher" "The Batchwright authors"
  WriteRegStr HKCU "${GONE}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${GONE}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${GONE}" "NoModify" 1
  WriteRegDWORD HKCU "${GONE}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${GONE}" "EstimatedSize" $0
  !insertmacro TELL_EXPLORER
SectionEnd

Section "Uninstall"
  !insertmacro WAIT_UNTIL_CLOSED "batchwright.exe"
  !insertmacro WAIT_UNTIL_CLOSED "batchwright-cli.exe"
  DetailPrint "$(DATA_STAYS)"
  ; Only what was installed: somebody may have chosen a folder with other things in it.
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\batchwright.exe"
  Delete "$INSTDIR\batchwright-cli.exe"
  Delete "$INSTDIR\copyright.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  !insertmacro OFFER_NO_MORE ".csv"
  !insertmacro OFFER_NO_MORE ".tsv"
  !insertmacro OFFER_NO_MORE ".tab"
  !insertmacro OFFER_NO_MORE ".xlsx"
  !insertmacro OFFER_NO_MORE ".xlsm"
  !insertmacro OFFER_NO_MORE ".xlsb"
  !insertmacro OFFER_NO_MORE ".xls"
  !insertmacro OFFER_NO_MORE ".ods"
  !insertmacro OFFER_NO_MORE ".et"
  !insertmacro OFFER_NO_MORE ".jsonl"
  !insertmacro OFFER_NO_MORE ".ndjson"
  DeleteRegKey HKCU "Software\Classes\${NAME}.Sheet"
  DeleteRegKey HKCU "${PROG}"
  DeleteRegKey HKCU "${GONE}"
  DeleteRegKey HKCU "Software\${NAME}"
  !insertmacro TELL_EXPLORER
SectionEnd
