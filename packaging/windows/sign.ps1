# Signs files with the certificate in CERTIFICATE (a .pfx in base64) and PASSWORD, with a time stamp,
# so that the signature outlives the certificate.
$ErrorActionPreference = "Stop"
$file = Join-Path $env:RUNNER_TEMP "certificate.pfx"
[IO.File]::WriteAllBytes($file, [Convert]::FromBase64String($env:CERTIFICATE))
try {
    $kits = "${env:ProgramFiles(x86)}\Windows Kits\10\bin\*\x64\signtool.exe"
    $tool = (Get-Item $kits | Sort-Object FullName | Select-Object -Last 1).FullName
    & $tool sign /fd SHA256 /td SHA256 /tr "http://timestamp.digicert.com" /f $file /p $env:PASSWORD @args
    if ($LASTEXITCODE) { throw "signtool ended with $LASTEXITCODE" }
} finally {
    Remove-Item $file
}
